import { createInvalidError } from '../../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../../shared/json.ts'
import { Problems } from '../../../../../shared/problems.ts'
import { isTokenType, type TokenType, tokenTypes } from '../../../../../shared/token-types.ts'
import { checkAccountNumber, checkBankData, checkRoutingNumber } from '../../banks/bank-data.ts'
import { checkCardData, checkCardNumber, removeNullMembers } from '../../cards/card-data.ts'

/** The defaults and checks of a token type (T-02). */
export type TypeRules = {
  container: string
  mask: Json | null
  fingerprint_expression: string
  search_indexes: readonly string[]
  /** Returns the data unchanged. Throws one `invalid` error that lists every problem. */
  check(data: Json, path: string): Json
}

const REVEAL_LAST_4 = '{{ data | reveal_last: 4 }}'

const governmentId: TypeRules = {
  container: '/pii/high/',
  mask: REVEAL_LAST_4,
  fingerprint_expression: "{{ data | remove: '-' }}",
  search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
  check: createCheck((data, path, problems) => {
    if (typeof data !== 'string' || !/^\d(-?\d){8}$/.test(data)) {
      problems.add(path, 'must be a string of 9 digits, with or without dashes')
    }
  }),
}

const card = {
  container: '/pci/high/',
  // SECURITY: the cvc is never part of the default mask (T-15).
  mask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  fingerprint_expression: '{{ data.number }}',
  search_indexes: [],
} as const satisfies Omit<TypeRules, 'check'>

/** The rules of every type (T-02, T-03). Read masks through `getDefaultMask`. */
export const typeRules: Record<TokenType, TypeRules> = {
  token: {
    container: '/general/high/',
    mask: null,
    fingerprint_expression: '{{ data | stringify }}',
    search_indexes: [],
    check: createCheck((data, path, problems) => {
      if (data === null) problems.add(path, 'must not be null')
    }),
  },
  card: { ...card, check: createCheck(checkCardData) },
  card_number: {
    container: '/pci/high/',
    mask: REVEAL_LAST_4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: createCheck(checkCardNumber),
  },
  network_token: {
    ...card,
    check: createCheck((data, path, problems) => {
      checkCardData(data, path, problems)
      if (isObject(data) && (data.cvc ?? null) !== null)
        problems.add(`${path}.cvc`, 'is not a member of a network token')
    }),
  },
  bank: {
    container: '/bank/high/',
    mask: {
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    },
    fingerprint_expression: '{{ data.account_number }}|{{ data.routing_number }}',
    search_indexes: [],
    check: createCheck(checkBankData),
  },
  us_bank_account_number: {
    container: '/bank/high/',
    mask: REVEAL_LAST_4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: createCheck((data, path, problems) => checkAccountNumber(data, 3, path, problems)),
  },
  us_bank_routing_number: {
    container: '/bank/low/',
    mask: REVEAL_LAST_4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: createCheck(checkRoutingNumber),
  },
  social_security_number: governmentId,
  employer_id_number: governmentId,
}

/** Returns a token type by name. Throws `invalid` if it does not exist (rule T-02). */
export function requireType(value: string): TokenType {
  if (!isTokenType(value)) throw createInvalidError('type', `must be one of ${tokenTypes.join(', ')}`)
  return value
}

/**
 * Returns the default mask of a type, or null (T-02). Leaves out members that are absent or null in the data, so
 * that the mask of a card without an expiration date has none either.
 */
export function getDefaultMask(type: TokenType, data: Json): Json | null {
  const { mask } = typeRules[type]
  if (!isObject(mask) || !isObject(data)) return mask
  return Object.fromEntries(Object.entries(mask).filter(([name]) => (data[name] ?? null) !== null))
}

/** Returns the data to store: for a card or a network token, without members that are null. */
export function toStoredData(type: string, data: Json): Json {
  return type === 'card' || type === 'network_token' ? removeNullMembers(data) : data
}

function createCheck(
  collectProblems: (data: Json, path: string, problems: Problems) => void,
): TypeRules['check'] {
  return (data, path) => {
    const problems = new Problems()
    collectProblems(data, path, problems)
    problems.throwIfAny()
    return data
  }
}
