import type { Ended } from '../run.ts'

/** What a process is asked to do; `code` is left out where it is the code of its last run. */
export type Order = {
  readonly id: string
  readonly code?: string
  readonly args: string
  readonly configuration: Readonly<Record<string, string>>
  readonly application: { readonly apiKey: string; readonly environment: string } | null
}

/** What a process says: a line of JSON each, of an answer with its text after a tab, as a JSON string. */
export type Said =
  /** Once, when it has started. */
  | { readonly ready: 'confined' | 'unconfined' }
  | { readonly id: string; readonly printed: string }
  | { readonly id: string; readonly ended: Ended }
  /** Whether nothing is left of the run, so that the process may be used for the next one. */
  | { readonly id: string; readonly clean: boolean }
