import { conditionsOn } from '../conditions.ts'
import { isObject, type Json } from '../json.ts'
import { z } from '../zod.ts'

/** Any JSON value. The depth of input was limited when it was parsed. */
export const json = z.unknown().meta({ description: 'Any JSON value' }) as z.ZodType<Json>

/** Any JSON value, required; `null` is a value. */
export const requiredJson = json.refine((value) => value !== undefined, 'is required')

const absentForNull = z.overwrite((value) => value ?? undefined)

type Optional<Output, Input> = z.ZodType<
  Output | undefined,
  Input | null | undefined,
  z.core.$ZodTypeInternals<Output | undefined, Input | null | undefined> & { optin: 'optional' }
>

const optionals = new WeakMap<z.ZodType, z.ZodType>()

/** An optional member of a request: `null` means absent (rule A-08). */
export function optionalField<T extends z.ZodType>(schema: T): Optional<z.output<T>, z.input<T>> {
  let cached = optionals.get(schema)
  if (!cached) {
    // Equivalent to `.nullish().transform(…)`, but with half as many objects and in a third of the time, because every
    // start creates hundreds of these schemas.
    const checks = [absentForNull]
    cached = new z.ZodOptional({ type: 'optional', innerType: z.nullable(schema), checks })
    optionals.set(schema, cached)
  }
  return cached as Optional<z.output<T>, z.input<T>>
}

/**
 * A map of at most `max` members, which a message calls `noun`. The number is checked before zod checks each member
 * (cases ).
 */
export function boundedRecord<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  { max, noun }: { readonly max: number; readonly noun: string },
) {
  return z.preprocess(
    (input, context) => {
      if (!isObject(input) || Object.keys(input).length <= max) return input
      context.addIssue(`must have at most ${max} ${noun}`)
      return z.NEVER
    },
    z.record(key, value),
  )
}

/** A member that is rejected with this message, and that the OpenAPI document does not list. */
export function removedField(message: string) {
  return z.undefined({ error: message }).optional().meta({ removed: true })
}

/**
 * Gives a schema its own JSON Schema in the OpenAPI document, for a rule that is enforced later, or that zod's
 * translation would drop (rule A-16).
 */
export function withJsonSchema<T extends z.ZodType>(schema: T, as: Readonly<Record<string, unknown>>): T {
  return schema.meta({ documented: as })
}

/** For the OpenAPI document: a member that must be absent or null. */
export const absent = { type: 'null' }

/** For `not` in the OpenAPI document: schemas of objects that have both members of a pair. */
export function forbidTogether(...pairs: readonly (readonly [string, string])[]) {
  return pairs.map((pair) => ({
    required: pair,
    properties: Object.fromEntries(pair.map((name) => [name, { not: absent }])),
  }))
}

/**
 * A second spelling of a response member, because some clients read one and some the other. It is left out of the
 * OpenAPI document, because generators would derive the same name from both (rule A-16).
 */
export function hiddenAlias<T extends z.ZodType>(schema: T): T {
  return schema.meta({ second_spelling: true })
}

/** An email address. Before the @, it has at most 64 characters, as mail servers require. */
export const email = z
  .email({ error: 'must be an email address' })
  .max(320)
  .regex(/^[^@]{1,64}@/, 'must be an email address')

/** The UUID of an object that the vault created. Accepted in any case; stored and looked up in lower case. */
export const createdId = withJsonSchema(z.string().toLowerCase(), { type: 'string', format: 'uuid' })

/** Returns the schema of an object that has this name in the OpenAPI document. */
export function nameObject<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id })
}

/** An integer in a query string, where it arrives as text. */
function integerParameter(minimum: number, maximum: number, fallback: number) {
  const number = z
    // A list means that the parameter was repeated, for which there is a general message.
    .union([z.int(), z.string().regex(/^\d+$/, 'must be a whole number')], {
      error: ({ input }) => (Array.isArray(input) ? undefined : 'must be a whole number'),
    })
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
  return withJsonSchema(number.default(fallback), { type: 'integer', minimum, maximum, default: fallback })
}

export const page = integerParameter(1, Number.MAX_SAFE_INTEGER, 1).describe('Page number, from 1')

/** The number of items on a page: `fallback` by default. */
export function pageSizeUpTo(max: number, fallback = 20) {
  // `toLocaleString` would load the system's locales at every start.
  const written = String(max).replace(/\B(?=(\d{3})+$)/g, ',')
  return integerParameter(1, max, fallback).describe(`Items on a page, at most ${written}`)
}

export const size = pageSizeUpTo(100)

/**
 * `start` of a list with numbered pages. Clients of the hosted service may send it; it has no effect, because such a list
 * gives no cursor (rule L-05).
 */
export const unusedStart = z
  .string()
  .max(500)
  .optional()
  .describe('Accepted without effect, because the pages of this list are numbered')

/** `page` and `size` as members of a body. */
export const pageMember = optionalField(z.int().min(1)).describe('Page number, from 1')
export const sizeMember = optionalField(z.int().min(1).max(100)).describe('Items on a page, at most 100')
export const start = z.string().min(1).max(500).optional().describe('`pagination.next` of the previous page')

/** A query parameter that may occur once or several times, as a list. */
export const repeatable = withJsonSchema(
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .optional(),
  { type: 'array', items: { type: 'string' } },
)

/** An offset-paginated list of `item` (rule L-05). */
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

/** A cursor-paginated list of `item` (rule L-04). */
export function cursorPage<T extends z.ZodType>(item: T) {
  return z.object({
    pagination: z.object({
      page_size: z.int(),
      next: z
        .string()
        .optional()
        .describe(
          '`start` of the next page; absent on the last. Any page may have fewer items than `page_size`',
        ),
    }),
    data: z.array(item),
  })
}

/** A page of a list that only the owner gets, with how many there are without its filters. */
export function ownerPage<T extends z.ZodType>(item: T) {
  return cursorPage(item).extend({ total: z.int() })
}

/** The query of an owner's list that is filtered by fields and words, and has pages. */
export function filteredQuery<const Field extends string>(fields: readonly [Field, ...Field[]]) {
  return z.strictObject({ where: conditionsOn(fields), q: z.string().max(400).optional(), start, size })
}

/** A request without members, or a response without a body. */
export const nothing = z.strictObject({})
