import type { ElementType, Reference, ReferenceTree } from '../protocol.ts'

const fieldNames: Partial<Record<ElementType, readonly string[]>> = {
  card: ['number', 'expiration_month', 'expiration_year', 'cvc'],
  cardExpirationDate: ['month', 'year'],
}

/** The references that `setValue` accepts for this type. Throws for all else, because pages hold no values. */
export function toReferences(type: ElementType, value: unknown): ReferenceTree {
  const own = fieldNames[type]
  if (!own || isReference(value)) return toReference(value)
  const values = (value ?? {}) as Record<string, unknown>
  const usedNames = own.filter((name) => values[name] !== undefined && values[name] !== null)
  if (usedNames.length === 0) throw value ? listNonReferences() : createNoValueError()
  return Object.fromEntries(usedNames.map((name) => [name, toReference(values[name])]))
}

function toReference(value: unknown): Reference {
  if (value === undefined || value === null) throw createNoValueError()
  if (!isReference(value)) throw listNonReferences()
  const { correlationId, elementId, path } = value
  return { correlationId, elementId, path }
}

function isReference(value: unknown): value is Reference {
  const { correlationId, elementId, path } = (value ?? {}) as Partial<Reference>
  return [correlationId, elementId, path].every((each) => typeof each === 'string')
}

const createNoValueError = () =>
  new Error(
    'There is no value to show. A token that is read with the transform mask has no value for what its mask leaves out, such as the cvc. To read it whole, the session and the application that authorizes it both need a rule with the transform reveal.',
  )
const listNonReferences = () => new Error('An element accepts only references to retrieved token data.')
