import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import type { SeedInput } from '../host/seed/seed.ts'
import type { StarterKeys } from '../host/starter-applications.ts'

export type CofferOptions = {
  /** What the vault begins with: a seed, or the path of a seed file. Without one: three starter applications. */
  readonly seed?: SeedInput | string
  /** Faults to begin with. */
  readonly faults?: readonly NewFaultRule[]
  /** 0, the default, picks a free one. */
  readonly port?: number
  /** Origins of web pages that may call. */
  readonly origins?: readonly string[]
  /** Run in a process of its own instead of in this one: for tests that block or stop their own event loop. */
  readonly beside?: boolean
}

/** An in-memory vault with its listener, for tests. */
export type RunningCoffer = {
  /** `http://127.0.0.1:49152` */
  readonly url: string
  readonly tenant_id: string
  /** A key of each type: of the seed's first application of that type, or of a starter application. */
  readonly keys: StarterKeys
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
  fault(rule: NewFaultRule): Promise<() => Promise<void>>
  /** Stops it and removes everything. Safe to repeat. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
