import type { Readable } from 'node:stream'

/** A process that runs reactors: written to by messages, read from its output, so that reading can be bounded. */
export type Forked = {
  readonly stdout: Readable
  /** Sends one message; what a process that has ended does not get is lost. */
  send(message: string): void
  kill(): void
  /** Called once when the process has ended, or could not be started. */
  onExit(ended: () => void): void
}

export type Fork = (file: string, options: { readonly execArgv: readonly string[] }) => Forked
