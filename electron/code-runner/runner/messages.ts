import type { RunOutcome } from '../run.ts'

/** What a process is asked to do; `code` is left out where it is the code of its last run. `args` null only compiles. */
export type RunRequest = {
  readonly id: string
  readonly code?: string
  readonly args: string | null
  readonly configuration: Readonly<Record<string, string>>
  readonly application: { readonly apiKey: string; readonly environment: string } | null
}

/** What a process may load before it gets a run: the client that `bt` is, or what `fetch` needs. */
export type Preload = 'client' | 'fetch'

/** What a process says: a line of JSON each, of an answer with its text after a tab, as a JSON string. */
export type RunnerMessage =
  /** Once, when it has started. */
  | { readonly ready: 'confined' | 'unconfined' }
  | { readonly id: string; readonly printed: string }
  | { readonly id: string; readonly ended: RunOutcome }
  /** Whether nothing of the run is still under way, so that the process could take another one. */
  | { readonly id: string; readonly clean: boolean }
