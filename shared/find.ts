import { token } from './schemas/token.ts'
import { z } from './zod.ts'

/** Tokens that one call created: the first and last position in the order of creation, and the time in epoch ms. */
export const createdTogether = z.object({ first: z.int(), last: z.int(), at: z.int() })
export type CreatedTogether = z.output<typeof createdTogether>

/** The maximum number of `createdTogether` ranges in one search. */
export const MAX_CREATED_TOGETHER = 1000

/** A search of the Tokens screen. A token must match every part. */
export const find = z.strictObject({
  /**
   * The typed text. It matches the members below, or the full value of a search index. For most members, the
   * beginning of the value is enough.
   */
  text: z.string().min(1).max(500).optional(),
  container: z.string().optional(),
  type: z.string().optional(),
  fingerprint: z.string().optional(),
  id: z.string().optional(),
  /** The tokens that an import created, in the order of creation. */
  created: z.array(createdTogether).max(MAX_CREATED_TOGETHER).readonly().optional(),
  /** The last four characters that the mask shows; case is ignored. */
  last4: z.string().optional(),
  /** Metadata pairs. A key without a value matches every value; case is ignored. */
  metadata: z
    .array(z.strictObject({ key: z.string(), value: z.string().optional() }))
    .max(10)
    .readonly()
    .optional(),
})
export type Find = z.output<typeof find>

/** `container` is the order of every list: container, then newest first (rule L-03). */
const tokenSort = z.enum(['container', 'newest', 'oldest'])
export type TokenSort = z.output<typeof tokenSort>

/** The position where a page ended: pass it back as `start`, with the same search. */
const place = z.string().max(1000)

export const findQuery = z.strictObject({
  find,
  sort: tokenSort,
  size: z.int().min(1).max(100),
  start: place.optional(),
  /** Walks the list from its end, so that the page has its last token first. */
  backwards: z.boolean().optional(),
})

/** A page may have fewer tokens than requested, or none, and still have a `next`. */
export const findPageResult = z.object({
  data: z.array(token),
  /** `previous` is the position of the first token: from it, a page in the other direction continues. */
  pagination: z.object({ next: place.nullable(), previous: place.nullable() }),
  /** Progress of building the index of metadata and last four characters, until which searches take longer. */
  building: z.object({ done: z.int(), total: z.int() }).nullable(),
})
export type FindPageResult = z.output<typeof findPageResult>

/** Skips this many tokens of a list, or those until a time in the list's order, which must then be that of age. */
export const findPlaceQuery = findQuery.omit({ size: true }).extend({
  skip: z.int().min(0).max(100_000_000).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
})

/** `start` of the page after the skipped tokens. If it is not complete, continue there with what is left to skip. */
export const findPlaceResult = z.object({
  place: place.nullable(),
  skipped: z.int(),
  isComplete: z.boolean(),
})

export const findCountQuery = z.strictObject({ find, start: place.optional() })

export const findCountResult = z.object({
  /** How many tokens match from `start`; if not exact, this is a minimum. */
  total: z.int(),
  isExact: z.boolean(),
  /** Pass this as `start` to count the rest; null if there is no rest, or if more than 10,000 tokens were counted. */
  next: place.nullable(),
})
export type FindCountResult = z.output<typeof findCountResult>

export const findIdsQuery = z.strictObject({ find, start: place.optional(), size: z.int().min(1).max(5000) })

/** Ids, newest first. Tokens created after the first page was read are on no page. */
export const findIdsResult = z.object({ ids: z.array(z.string()), next: place.nullable() })
export type FindIdsResult = z.output<typeof findIdsResult>

export const suggestQuery = z.strictObject({ text: z.string().min(1).max(500) })

/** An existing value that the typed text may refer to. */
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

/** A search that the owner has saved: filters and order, as in the query of the window's route. */
export const savedSearch = z.lazy(() =>
  z.strictObject({
    id: z.uuid(),
    name: z.string().trim().min(1).max(100),
    /** The screen of its list. */
    screen: z.string().min(1).max(40).default('tokens'),
    query: z.string().max(4000),
    /** Whether the navigation rail shows it. */
    pinned: z.boolean().default(false),
  }),
)
export type SavedSearch = z.output<typeof savedSearch>
