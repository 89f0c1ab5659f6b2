import type { CodeRun, RunOutcome } from '../run.ts'

/** A request to a process. Without `code`, the previous run's is used; if `args` is null, it is only compiled. */
export type RunRequest = Pick<CodeRun, 'contract' | 'args' | 'configuration' | 'application'> & {
  readonly id: string
  readonly code?: string
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
