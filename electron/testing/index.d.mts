// What `coffer/testing` gives, in itself: a project that uses it needs none of Coffer's sources to check its types.

/** An application of a seed. */
export type SeedApplication = {
  name: string
  type: 'private' | 'public' | 'management'
  /** Fixed; only a vault in memory takes one. */
  key?: string
  permissions?: string[]
  rules?: {
    description?: string
    priority: number
    container?: string
    conditions?: { attribute: 'id' | 'container'; operator: 'starts_with' | 'equals'; value: string }[]
    transform: 'mask' | 'redact' | 'reveal'
    permissions: string[]
  }[]
  expires_at?: string
}

/** A token of a seed, as `POST /tokens` takes it. */
export type SeedToken = { type: string; data: unknown; id?: string } & Record<string, unknown>

/** What a vault begins with; the same as a seed file says. */
export type Seed = {
  tenant?: { name?: string; settings?: Record<string, string | number | boolean> }
  applications?: SeedApplication[]
  tokens?: SeedToken[]
  /** Tokens to make up: `{n}` in the id and metadata is the number, from 1. */
  generate?: ({ type: string; count: number; id?: string } & Record<string, unknown>)[]
  /** The same number makes up the same data. */
  random?: number
}

/** Which calls are hit, how often, and what becomes of them: needs `delay_ms`, `status` or `cut`. */
export type Fault = {
  name: string
  /** `tokens.create` or `tokens.*`; every operation where none is named. */
  operations?: string[] | undefined
  delay_ms?: number | undefined
  status?: number | undefined
  /** Seconds, for the `Retry-After` of that answer. */
  retry_after?: number | undefined
  /** Close the connection instead of answering. */
  cut?: boolean | undefined
  /** `after`: the operation is done, and only its answer is lost. */
  when?: 'before' | 'after' | undefined
  /** Which share of the calls it hits, above 0 and up to 1. */
  share?: number | undefined
  /** How many calls it hits at most. */
  count?: number | undefined
}

export type CofferOptions = {
  /** What the vault begins with: a seed, or the path of a seed file. Without one: three starter applications. */
  readonly seed?: Seed | string
  /** Faults to begin with. */
  readonly faults?: readonly Fault[]
  /** 0, the default, picks a free one. */
  readonly port?: number
  /** Origins of web pages that may call. */
  readonly origins?: readonly string[]
  /** Run in a process of its own instead of in this one: for tests that block or stop their own event loop. */
  readonly beside?: boolean
  /** Print internal errors of the vault on standard error, with their stack and trace id. */
  readonly verbose?: boolean
}

/** A vault in memory with its listener. */
export type RunningCoffer = {
  /** `http://127.0.0.1:49152` */
  readonly url: string
  readonly tenant_id: string
  /** A key of each type: of the seed's first application of that type, or of a starter application. */
  readonly keys: { readonly management: string; readonly private: string; readonly public: string }
  /** Back to how the vault began: tokens, applications, settings, log, clock, faults. */
  reset(): Promise<void>
  /** Keeps the vault as it is; the function given takes it back there, as often as wanted. */
  snapshot(): Promise<() => Promise<void>>
  /** Moves the clock on. What is past by then is gone. */
  advance(seconds: number): Promise<void>
  /** The time on the vault's clock. */
  now(): Promise<Date>
  /** Puts the clock to a moment. */
  setNow(moment: Date): Promise<void>
  /** Sets one more fault; the function given takes it away. */
  fault(rule: Fault): Promise<() => Promise<void>>
  /** Stops it and removes everything. Safe to repeat. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a vault in memory, with its listener, for tests: `const coffer = await startCoffer()`. Rejects with an error
 * that says where the seed is wrong, or that the port is taken.
 */
export function startCoffer(options?: CofferOptions): Promise<RunningCoffer>
