import { isObject, type Json } from '../../shared/json.ts'

// A small model of the types and expressions that the steps use (T-02, T-03, E-03, E-07, E-08).

const revealLast = (value: Json, shown: number) =>
  typeof value === 'string' ? value.slice(0, -shown).replace(/[^-]/g, 'X') + value.slice(-shown) : value

const createMemberGetter = (name: string) => (data: unknown) => (isObject(data) ? (data[name] ?? null) : null)
const toCompactText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
const removeDashes = (value: Json) => (typeof value === 'string' ? value.replaceAll('-', '') : value)

/** Every expression that the steps use, as a function of the data. */
const expressions: Record<string, (data: Json) => Json> = {
  '{{ data }}': (data) => data,
  '{{ data | stringify }}': toCompactText,
  '{{ data | last4 }}': (data) => String(data).slice(-4),
  '{{ data | reveal_last: 4 }}': (data) => revealLast(data, 4),
  "{{ data | remove: '-' }}": removeDashes,
  '{{ data.ref }}': createMemberGetter('ref'),
  '{{ data.secret }}': createMemberGetter('secret'),
  '{{ data.missing }}': createMemberGetter('missing'),
  '{{ data.number }}': createMemberGetter('number'),
  '{{ data.number | reveal_last: 4 }}': (data) => revealLast(createMemberGetter('number')(data), 4),
  '{{ data.expiration_month }}': createMemberGetter('expiration_month'),
  '{{ data.expiration_year }}': createMemberGetter('expiration_year'),
  '{{ data.routing_number }}': createMemberGetter('routing_number'),
  '{{ data.account_number | reveal_last: 4 }}': (data) =>
    revealLast(createMemberGetter('account_number')(data), 4),
  '{{ data.account_number }}|{{ data.routing_number }}': (data) =>
    isObject(data) ? `${data.account_number}|${data.routing_number}` : null,
}

/** Returns the text of a fingerprint; null if the expression refers to a missing value, or yields nothing (T-07). */
export function computeFingerprint(
  type: string,
  expression: string | undefined,
  data: Json,
  metadata: Readonly<Record<string, Json>>,
): string | null {
  const own = typeRules[type]?.fingerprint_expression ?? ''
  if (expression === undefined || expression === own) return toText(evaluateMask(own, data))
  const values: Json[] = []
  const text = expression.replace(/{{ (.*?) }}/g, (part, path: string) => {
    const value = path.startsWith('metadata.')
      ? createMemberGetter(path.slice(9))(metadata)
      : evaluateMask(part, data)
    values.push(value)
    return toText(value)
  })
  const isNothing = (value: Json) => value === null || value === ''
  return values.includes(null) || values.every(isNothing) ? null : text
}

/** Evaluates a string, object or array of expressions. Text without an expression is unchanged. */
export function evaluateMask(mask: Json, data: Json): Json {
  if (typeof mask === 'string') return (expressions[mask] ?? (() => mask))(data)
  if (Array.isArray(mask)) return mask.map((each) => evaluateMask(each, data))
  if (!isObject(mask)) return mask
  return Object.fromEntries(Object.entries(mask).map(([name, each]) => [name, evaluateMask(each, data)]))
}

export const goodCards = ['4242424242424242', '5555555555554444', '378282246310005']
export const goodRouting = ['021000021', '011401533']

/** The defaults of a type. */
export type TypeRules = {
  readonly container: string
  readonly mask: Json | null
  readonly fingerprint_expression: string
  readonly search_indexes: readonly string[]
  isValid(data: Json): boolean
  /** Returns the digits that must not be in the id or the metadata (T-05), or null. */
  sensitive(data: Json): string | null
}

const isDigits = (value: unknown, min: number, max: number) =>
  typeof value === 'string' && /^\d+$/.test(value) && value.length >= min && value.length <= max

const isWhole = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const hasOnly = (data: Json, names: readonly string[]) =>
  isObject(data) && Object.keys(data).every((name) => names.includes(name))

export const typeRules: Record<string, TypeRules> = {
  token: {
    container: '/general/high/',
    mask: null,
    fingerprint_expression: '{{ data | stringify }}',
    search_indexes: [],
    isValid: (data) => data !== null,
    sensitive: () => null,
  },
  card: {
    container: '/pci/high/',
    mask: {
      number: '{{ data.number | reveal_last: 4 }}',
      expiration_month: '{{ data.expiration_month }}',
      expiration_year: '{{ data.expiration_year }}',
    },
    fingerprint_expression: '{{ data.number }}',
    search_indexes: [],
    isValid: (data) =>
      isObject(data) &&
      hasOnly(data, ['number', 'expiration_month', 'expiration_year', 'cvc']) &&
      goodCards.includes(String(data.number)) &&
      (data.expiration_month === undefined || isWhole(data.expiration_month, 1, 12)) &&
      (data.expiration_year === undefined || isWhole(data.expiration_year, 1000, 9999)) &&
      (data.cvc === undefined || isDigits(data.cvc, 3, 4)),
    sensitive: (data) => String(createMemberGetter('number')(data)),
  },
  social_security_number: {
    container: '/pii/high/',
    mask: '{{ data | reveal_last: 4 }}',
    fingerprint_expression: "{{ data | remove: '-' }}",
    search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
    isValid: (data) => typeof data === 'string' && /^\d(-?\d){8}$/.test(data),
    sensitive: (data) => String(removeDashes(data)),
  },
  bank: {
    container: '/bank/high/',
    mask: {
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    },
    fingerprint_expression: '{{ data.account_number }}|{{ data.routing_number }}',
    search_indexes: [],
    isValid: (data) =>
      isObject(data) &&
      hasOnly(data, ['routing_number', 'account_number']) &&
      goodRouting.includes(String(data.routing_number)) &&
      isDigits(data.account_number, 1, 17),
    sensitive: (data) => String(createMemberGetter('account_number')(data)),
  },
}

/** Returns the default mask of a type, without members that the data does not have. */
export function getDefaultMask(type: string, data: Json): Json {
  const mask = typeRules[type]?.mask ?? null
  if (!isObject(mask) || !isObject(data)) return mask
  return Object.fromEntries(Object.entries(mask).filter(([name]) => (data[name] ?? null) !== null))
}

/** Merge patch of RFC 7386 (T-12). */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: Record<string, Json> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name] ?? null, value)
  }
  return result
}

/** Returns an evaluated expression as the text that is fingerprinted or searched. */
export const toText = toCompactText
