import type { ElementType, Reference, ReferenceTree } from '../protocol.ts'

const parts: Partial<Record<ElementType, readonly string[]>> = {
  card: ['number', 'expiration_month', 'expiration_year', 'cvc'],
  cardExpirationDate: ['month', 'year'],
}

/**
 * The references that an element of this type accepts in `setValue`. Throws for anything else, because pages
 * hold no values.
 */
export function toReferences(type: ElementType, value: unknown): ReferenceTree {
  const own = parts[type]
  if (!own || isReference(value)) return toReference(value)
  const values = (value ?? {}) as Record<string, unknown>
  const presentParts = own.filter((part) => values[part] !== undefined && values[part] !== null)
  if (presentParts.length === 0) throw notReferences()
  return Object.fromEntries(presentParts.map((part) => [part, toReference(values[part])]))
}

function toReference(value: unknown): Reference {
  if (!isReference(value)) throw notReferences()
  const { correlationId, elementId, path } = value
  return { correlationId, elementId, path }
}

function isReference(value: unknown): value is Reference {
  const { correlationId, elementId, path } = (value ?? {}) as Partial<Reference>
  return [correlationId, elementId, path].every((each) => typeof each === 'string')
}

const notReferences = () => new Error('An element accepts only references to retrieved token data.')
