import type { Permission } from '../../shared/permissions.ts'

/** JSON as a statement writes it. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [member: string]: PlainJson }

/**
 * One thing that the interface says, which a program with a key can check from outside. It is plain data, so that a report
 * can print it. It never changes the settings of a tenant, and its cards are test cards.
 */
export type Statement = {
  /** The number of the rule in docs/rules.md. */
  readonly rule: string
  /** One sentence without a full stop: `A token created without a mask is read back without one`. */
  readonly says: string
  /** Where the interface says it: a section of the interface or a page of the documentation. */
  readonly source: string
  /** The documents are silent here, and the expected answer is Coffer's own decision. It is reported apart. */
  readonly decision?: true
  /** Permissions that `--key` must have, or the management key. Keys that a statement creates itself do not count. */
  readonly needs: readonly Permission[] | 'management'
  /** It depends on what the whole tenant contains, so no other statement runs at the same time. */
  readonly alone?: true
  /** Why the statement cannot be checked from outside, completing "Skipped because …". It then needs no steps. */
  readonly skipped?: string
  /** Run in order. A value saved by one step can be used by the next. The first step that fails ends the statement. */
  readonly steps: readonly StatementStep[]
}

/**
 * One request, and what is expected of its answer. In every string, also in expectations, `${name}` is a saved value, `${prefix}`
 * begins the names that the statement gives, and `${unique}` (also `${unique2}`, …) is a random word and
 * `${uniqueNumber}` a random number, which stay the same within one run of the statement. What is tokenized by its value alone
 * is one of these, because a tenant that deduplicates may have any other. A string that is nothing but `${name}` becomes the saved value itself.
 */
export type StatementStep = {
  /**
   * Who sends it: `key` (the default), `management`, `nobody`, or the name of a saved key. The key goes into the header
   * `BT-API-KEY`, so every answer is in the SDK dialect (rule A-02).
   */
  readonly as?: string
  readonly send: {
    readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    readonly path: string
    /** A list sends the parameter repeatedly. */
    readonly query?: Readonly<Record<string, string | number | readonly string[]>>
    /** Write `BT-…` rather than `SVC-…`. `Content-Type` follows from the method, unless it is here. */
    readonly headers?: Readonly<Record<string, string>>
    /** Sent as JSON. */
    readonly body?: PlainJson
    /** Sent as it is, in place of `body`. */
    readonly raw?: string
  }
  readonly expect: {
    readonly status: number | readonly number[]
    /** By name, in any case. */
    readonly headers?: Readonly<Record<string, string | ValueMatcher>>
    /** JSON, or text if the answer is not JSON. An empty answer is `absent`. */
    readonly body?: Expected
  }
  /** Names of values to save, with their JSON pointers in the body: `{ token: '/id' }`. */
  readonly save?: Readonly<Record<string, string>>
  /**
   * The paths that delete what this step created. They are sent after the statement, in reverse order, with the key of the
   * step, or with another one of the run if that one may not. A resource that is created although the step expects an error
   * is deleted without this.
   */
  readonly remove?: string | readonly string[]
  /** Repeats the step for a while, until its expectation holds: lists and events of a hosted service are slow. */
  readonly until?: true
}

/**
 * What a value must be. Literals must be equal. An array must have as many items. An object may have further members, unless
 * `expectExactly` wraps it.
 */
export type Expected =
  | null
  | boolean
  | number
  | string
  | ValueMatcher
  | readonly Expected[]
  | { readonly [member: string]: Expected }

/** A kind of value. It is data, such as `{ $: 'uuid' }`. */
export type ValueMatcher =
  | { readonly $: 'absent' | 'present' | 'string' | 'number' | 'boolean' | 'uuid' | 'date' }
  | { readonly $: 'among'; readonly values: readonly Expected[] }
  | { readonly $: 'pattern'; readonly pattern: string }
  | { readonly $: 'list'; readonly of: Expected; readonly min: number }
  | { readonly $: 'items'; readonly items: readonly Expected[] }
  | { readonly $: 'exactly'; readonly members: Readonly<Record<string, Expected>> }
  | { readonly $: 'not'; readonly value: Expected }

/** No such member, header or body. */
export const absent: ValueMatcher = { $: 'absent' }
/** Any value, also null. */
export const anything: ValueMatcher = { $: 'present' }
export const anyString: ValueMatcher = { $: 'string' }
export const anyNumber: ValueMatcher = { $: 'number' }
export const anyBoolean: ValueMatcher = { $: 'boolean' }
export const uuid: ValueMatcher = { $: 'uuid' }
/** ISO 8601 with a time and an offset. */
export const isoDate: ValueMatcher = { $: 'date' }
/** The error of one member: a list of messages in any words. */
export const someMessages: ValueMatcher = { $: 'list', of: anyString, min: 1 }

/** A value that equals one of these. */
export function expectAmong(...values: readonly Expected[]): ValueMatcher {
  return { $: 'among', values }
}

/** A string that matches a regular expression. `${name}` inside it is inserted literally. */
export function expectPattern(pattern: RegExp): ValueMatcher {
  return { $: 'pattern', pattern: pattern.source }
}

/** An array, each of whose items is expected. */
export function expectEach(of: Expected, min = 0): ValueMatcher {
  return { $: 'list', of, min }
}

/** An array that contains an item for each of these, in any order, and may contain others. */
export function expectItems(...items: readonly Expected[]): ValueMatcher {
  return { $: 'items', items }
}

/** An object without further members. */
export function expectExactly(members: Readonly<Record<string, Expected>>): ValueMatcher {
  return { $: 'exactly', members }
}

/** Any value but this. */
export function expectOther(value: Expected): ValueMatcher {
  return { $: 'not', value }
}
