import { token } from './schemas/token.ts'
import { z } from './zod.ts'

/** Tokens created one after another by one call: their places in the order of creation, and when, in epoch ms. */
export const createdTogether = z.object({ first: z.int(), last: z.int(), at: z.int() })
export type CreatedTogether = z.output<typeof createdTogether>

/** The most of these in one search. */
export const MAX_CREATED_TOGETHER = 1000

/** What a person looks for in the Tokens screen. A token must match every part. */
export const find = z.strictObject({
  /** What was typed: any of the below, the value of a search index, or for most of them a beginning. */
  text: z.string().min(1).max(500).optional(),
  /** In or below this container. */
  container: z.string().optional(),
  type: z.string().optional(),
  fingerprint: z.string().optional(),
  id: z.string().optional(),
  /** What an import created, in the order of creation. */
  created: z.array(createdTogether).max(MAX_CREATED_TOGETHER).readonly().optional(),
  /** The last four characters that the mask shows; case is ignored. */
  last4: z.string().optional(),
  /** Pairs, or keys alone with any value; case is ignored. */
  metadata: z
    .array(z.strictObject({ key: z.string(), value: z.string().optional() }))
    .max(10)
    .readonly()
    .optional(),
})
export type Find = z.output<typeof find>

/** `container` is the order of every list: container, then newest first (rule L-03). The others go by creation. */
const tokenSort = z.enum(['container', 'newest', 'oldest'])
export type TokenSort = z.output<typeof tokenSort>

/** Where an answer ended: pass it back as `start`, with the same question. */
const place = z.string().max(1000)

export const findQuery = z.strictObject({
  find,
  sort: tokenSort,
  size: z.int().min(1).max(100),
  start: place.optional(),
})

/** A page may hold fewer tokens than asked for, or none, and still have a `next`. */
export const findPageResult = z.object({
  data: z.array(token),
  pagination: z.object({ next: place.nullable() }),
  /** How far the index of metadata and last four has come, while it is being built: finding takes longer until then. */
  building: z.object({ done: z.int(), total: z.int() }).nullable(),
})
export type FindPageResult = z.output<typeof findPageResult>

export const findCountQuery = z.strictObject({ find, start: place.optional() })

export const findCountResult = z.object({
  /** How many there are from `start`; if not exact, there are at least this many. */
  total: z.int(),
  isExact: z.boolean(),
  /** Continue here to count the rest; null if there is no rest, or too much of it. */
  next: place.nullable(),
})
export type FindCountResult = z.output<typeof findCountResult>

export const findIdsQuery = z.strictObject({
  find,
  start: place.optional(),
  size: z.int().min(1).max(5000),
})

/** Newest first, so that tokens created after the first answer are in none. */
export const findIdsResult = z.object({ ids: z.array(z.string()), next: place.nullable() })
export type FindIdsResult = z.output<typeof findIdsResult>

export const suggestQuery = z.strictObject({ text: z.string().min(1).max(500) })

/** One thing that exists and that the typed text may stand for. */
const suggestion = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('metadata'), key: z.string(), value: z.string().optional() }),
    z.object({ kind: z.literal('type'), value: z.string() }),
    z.object({ kind: z.literal('container'), value: z.string() }),
    z.object({ kind: z.literal('last4'), value: z.string() }),
    z.object({ kind: z.literal('id'), value: z.string() }),
    z.object({ kind: z.literal('fingerprint'), value: z.string() }),
  ]),
)
export type Suggestion = z.output<typeof suggestion>

export const suggestions = z.object({ data: z.array(suggestion) })

/** A search the owner keeps with the vault: its filters and order as the address of the window has them. */
export const savedSearch = z.lazy(() =>
  z.strictObject({
    id: z.uuid(),
    name: z.string().trim().min(1).max(100),
    query: z.string().max(4000),
  }),
)
export type SavedSearch = z.output<typeof savedSearch>
