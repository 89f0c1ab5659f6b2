import { invalid } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import { Problems } from '../../../../shared/problems.ts'
import { isTokenType, type TokenType, tokenTypes } from '../../../../shared/token-types.ts'
import { checkAccountNumber, checkBankData, checkRoutingNumber } from '../../banks/bank-data.ts'
import { checkCardData, checkCardNumber, withoutNulls } from '../../cards/card-data.ts'

/** What a type decides where the caller says nothing (T-02). */
export type TypeRules = {
  container: string
  mask: Json | null
  fingerprint_expression: string
  search_indexes: readonly string[]
  /** Gives the data back as it came, or throws one `invalid` error with every problem in it. */
  check(data: Json, path: string): Json
}

const revealLast4 = '{{ data | reveal_last: 4 }}'

const governmentId: TypeRules = {
  container: '/pii/high/',
  mask: revealLast4,
  fingerprint_expression: "{{ data | remove: '-' }}",
  search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
  check: checking((data, path, problems) => {
    if (typeof data !== 'string' || !/^\d(-?\d){8}$/.test(data)) {
      problems.add(path, 'must be a string of 9 digits, with or without dashes')
    }
  }),
}

/** The rules of every type (T-02, T-03). Masks are given through `defaultMaskFor`. */
export const rulesOf: Record<TokenType, TypeRules> = {
  token: {
    container: '/general/high/',
    mask: null,
    fingerprint_expression: '{{ data | stringify }}',
    search_indexes: [],
    check: checking((data, path, problems) => {
      if (data === null) problems.add(path, 'must not be null')
    }),
  },
  card: {
    container: '/pci/high/',
    // SECURITY: the cvc is never part of the default mask (T-15).
    mask: {
      number: '{{ data.number | reveal_last: 4 }}',
      expiration_month: '{{ data.expiration_month }}',
      expiration_year: '{{ data.expiration_year }}',
    },
    fingerprint_expression: '{{ data.number }}',
    search_indexes: [],
    check: checking(checkCardData),
  },
  card_number: {
    container: '/pci/high/',
    mask: revealLast4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: checking(checkCardNumber),
  },
  bank: {
    container: '/bank/high/',
    mask: {
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    },
    fingerprint_expression: '{{ data.account_number }}|{{ data.routing_number }}',
    search_indexes: [],
    check: checking(checkBankData),
  },
  us_bank_account_number: {
    container: '/bank/high/',
    mask: revealLast4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: checking((data, path, problems) => checkAccountNumber(data, 3, path, problems)),
  },
  us_bank_routing_number: {
    container: '/bank/low/',
    mask: revealLast4,
    fingerprint_expression: '{{ data }}',
    search_indexes: [],
    check: checking(checkRoutingNumber),
  },
  social_security_number: governmentId,
  employer_id_number: governmentId,
}

/** A token type by name; throws 400 for one that does not exist (rule T-02). */
export function requireType(value: string): TokenType {
  if (!isTokenType(value)) throw invalid('type', `must be one of ${tokenTypes.join(', ')}`)
  return value
}

/**
 * The mask a token without one of its own gets (T-02). A member of an object mask whose member in the
 * data is absent or null is left out, so that a card without expiry has no expiry in its mask either.
 */
export function defaultMaskFor(type: TokenType, data: Json): Json | null {
  const { mask } = rulesOf[type]
  if (!isObject(mask) || !isObject(data)) return mask
  return Object.fromEntries(Object.entries(mask).filter(([name]) => (data[name] ?? null) !== null))
}

/** Data as a token keeps it: what stands for nothing is left out. */
export function keptData(type: string, data: Json): Json {
  return type === 'card' ? withoutNulls(data) : data
}

function checking(note: (data: Json, path: string, problems: Problems) => void): TypeRules['check'] {
  return (data, path) => {
    const problems = new Problems()
    note(data, path, problems)
    problems.throwIfAny()
    return data
  }
}
