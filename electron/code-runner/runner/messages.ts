import type { Contract, RunOutcome } from '../run.ts'

/** A request to a process. Without `code`, the previous run's is used; if `args` is null, it is only compiled. */
export type RunRequest = {
  readonly id: string
  readonly code?: string
  readonly contract: Contract
  readonly args: string | null
  readonly configuration: Readonly<Record<string, string>>
  readonly application: { readonly apiKey: string; readonly environment: string } | null
}

/** What a process can load before its first run: the client for `bt`, what `fetch` needs, or `https` with `crypto`. */
export type Preload = 'client' | 'fetch' | 'https'

/** A message from a process, one line of JSON. The text of a result follows after a tab, as a JSON string. */
export type RunnerMessage =
  /** Sent once, when the process has started. */
  | { readonly ready: 'confined' | 'unconfined' }
  | { readonly id: string; readonly printed: string }
  | { readonly id: string; readonly ended: RunOutcome }
  /** Whether the run has left nothing running, so that the process can take another one. */
  | { readonly id: string; readonly clean: boolean }
