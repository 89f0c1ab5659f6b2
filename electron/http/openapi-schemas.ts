import { isKeptStrict } from '../../shared/validation.ts'
import { z } from '../../shared/zod.ts'
import type { JsonSchema } from './json-schema.ts'

type SchemaUse = 'input' | 'output'

/** Converts the schemas of operations for the OpenAPI document, and collects those that have a name. */
export class OpenApiSchemas {
  /** The schemas under `components`, by name. */
  readonly named: Record<string, JsonSchema>
  /** Whether unknown members of a request are rejected, as far as its schema does not say so itself (rule A-08). */
  readonly strict: boolean

  constructor(named: Record<string, JsonSchema>, strict: boolean) {
    this.named = named
    this.strict = strict
  }

  /** Returns the JSON schema of a request. With `strict`, it always rejects unknown members. */
  toInput(schema: z.ZodType, { strict = this.strict } = {}): JsonSchema {
    return this.#convertSchema(schema, 'input', strict)
  }

  /** Returns the JSON schema of a response. */
  toOutput(schema: z.ZodType): JsonSchema {
    return this.#convertSchema(schema, 'output', true)
  }

  #convertSchema(schema: z.ZodType, io: SchemaUse, strict: boolean): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...own
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const isOpen = !strict && !(zodSchema instanceof z.ZodObject && isKeptStrict(zodSchema))
        if (isOpen && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      },
    }) as JsonSchema
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      this.named[name] = withTimes(simplifySchema(definition), io) as JsonSchema
    }
    return withTimes(simplifySchema(own), io) as JsonSchema
  }
}

/** Marks the times of a response as `date-time`; a request may also use other formats (rule A-13). */
function withTimes(value: unknown, io: SchemaUse): unknown {
  if (io === 'input' || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => withTimes(each, io))
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    /_(at|date)$/.test(name) && each?.type === 'string'
      ? { ...each, format: 'date-time' }
      : withTimes(each, io),
  ])
  return Object.fromEntries(entries)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

function simplifySchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplifySchema)
  if (!isSchema(value)) return value
  if ('documented' in value) return { ...keepDescription(value), ...(value.documented as JsonSchema) }
  const isAnyInteger = value.minimum === Number.MIN_SAFE_INTEGER
  const entries = Object.entries(normalizeSpelling(value)).flatMap(([key, each]): [string, unknown][] => {
    if (isAnyInteger && (key === 'minimum' || key === 'maximum')) return []
    if (key === '$id' || (key === 'id' && typeof each === 'string' && 'type' in value)) return []
    if (key === '$ref' && typeof each === 'string')
      return [[key, each.replace('#/$defs/', '#/components/schemas/')]]
    return [[key, simplifySchema(each)]]
  })
  return Object.fromEntries(entries)
}

/**
 * Removes the alternative spellings of an object's fields. The schema then allows additional fields, so that those
 * spellings stay valid.
 */
function normalizeSpelling(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object' || schema.properties === undefined) return schema
  const members = Object.entries(schema.properties as Record<string, JsonSchema>)
  const alternatives = members.flatMap(([name, { second_spelling }]) =>
    second_spelling === true ? [name] : [],
  )
  if (alternatives.length === 0) return schema
  const { additionalProperties: _, ...rest } = schema
  const required = (schema.required as string[]).filter((name) => !alternatives.includes(name))
  return {
    ...rest,
    properties: Object.fromEntries(members.filter(([name]) => !alternatives.includes(name))),
    required,
  }
}

/** Returns the parts of a zod schema that remain when a documented schema replaces it. */
function keepDescription({ description, default: fallback, bounds }: JsonSchema): JsonSchema {
  const text = bounds === undefined ? description : `${description}: ${bounds}`
  return {
    ...(text !== undefined && { description: text }),
    ...(fallback !== undefined && { default: fallback }),
  }
}
