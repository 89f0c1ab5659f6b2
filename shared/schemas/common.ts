import { z } from 'zod'
import type { Json } from '../json.ts'

/** Any JSON value. What arrives has been read as JSON already; its depth is bounded there. */
export const json = z.unknown().meta({ description: 'Any JSON value' }) as z.ZodType<Json>

/** Any JSON value that must be there; `null` counts. */
export const given = json.refine((value) => value !== undefined, 'is required')

/** An optional member of a request: `null` means absent (rule A-08). */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/**
 * A schema that the OpenAPI document describes by a JSON Schema of its own: where a rule is enforced further in, or
 * zod's translation says less than it knows (rule A-16).
 */
export function documented<T extends z.ZodType>(schema: T, as: Readonly<Record<string, unknown>>): T {
  return schema.meta({ documented: as })
}

/** The UUID of something the vault made, in whatever case it is written: kept and found in lower case. */
export const madeId = documented(z.string().toLowerCase(), { type: 'string', format: 'uuid' })

/** A parameter of a query: a whole number that arrives as text there. */
function wholeNumber(minimum: number, maximum: number, fallback: number) {
  const number = z
    // A list is a parameter that was given twice, which the general messages know.
    .union([z.int(), z.string().regex(/^\d+$/, 'must be a whole number')], {
      error: ({ input }) => (Array.isArray(input) ? undefined : 'must be a whole number'),
    })
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
  return documented(number.default(fallback), { type: 'integer', minimum, maximum, default: fallback })
}

export const page = wholeNumber(1, Number.MAX_SAFE_INTEGER, 1).describe('Page number, from 1')

/** How many items a page holds: 20 unless asked for otherwise. */
export function sizeUpTo(most: number) {
  return wholeNumber(1, most, 20).describe(`Items on a page, at most ${most.toLocaleString('en')}`)
}

export const size = sizeUpTo(100)

/** The same two as members of a body. */
export const pageMember = optional(z.int().min(1)).describe('Page number, from 1')
export const sizeMember = optional(z.int().min(1).max(100)).describe('Items on a page, at most 100')
export const start = z.string().min(1).max(500).optional().describe('`pagination.next` of the page before')

/** A query parameter that may be given once or many times, as a list. */
export const repeatable = documented(
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .optional(),
  { type: 'array', items: { type: 'string' } },
)

/** An offset-paginated object of `item` (rule L-05). */
export function offsetPage<T extends z.ZodType>(item: T) {
  return z.object({
    pagination: z.object({
      total_items: z.int(),
      page_number: z.int(),
      page_size: z.int(),
      total_pages: z.int(),
    }),
    data: z.array(item),
  })
}

/** A cursor-paginated object of `item` (rule L-04). */
export function cursorPage<T extends z.ZodType>(item: T) {
  return z.object({
    pagination: z.object({ page_size: z.int(), next: z.string().optional() }),
    data: z.array(item),
  })
}

/** Nothing: a request without members, or an answer without a body. */
export const nothing = z.strictObject({})
