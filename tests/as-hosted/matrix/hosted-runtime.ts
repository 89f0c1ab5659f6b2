/**
 * What becomes of a call to a name that Coffer does not answer: the client shows Coffer's explanation, it shows only
 * that the call was refused, or it calls the name itself, because it does not use the proxy.
 */
export type OutsideResult = 'explained' | 'refused' | 'called'

export type HostedProgram = {
  /** The client, as in the table. */
  readonly title: string
  /** The program and its arguments. One more argument is another URL to call. */
  readonly command: readonly string[]
  readonly outside: OutsideResult
  /** Set if the program is a whole application, which takes no other URL. */
  readonly isApplication?: true
  /** Why the client does not reach Coffer, if it does not. */
  readonly fails?: string
}

export type HostedRuntime = {
  /** The runtime, as in the table. */
  readonly title: string
  /** Prints the version. */
  readonly version: readonly string[]
  /** The folder in which the programs run. */
  readonly folder: string
  readonly programs: readonly HostedProgram[]
  /** Downloads and builds what the programs need. Returns why they cannot run on this machine, or null. */
  describeMissing(): string | null | Promise<string | null>
}
