import { isObject, type Json } from '../../../../shared/json.ts'
import { memberPath, Problems } from '../../../../shared/problems.ts'
import type { TokenType } from '../../../../shared/token-types.ts'

// Shorter numbers occur by chance in almost any text, so only an exact match counts.
const shortestSearched = 5
/** This many digits of a card number, in a row, leave too little of it unknown. */
const TOO_MANY_OF_A_CARD = 12

/** Returns the digits of the card, account or tax number, which must stay out of id and metadata (T-05). */
export function sensitiveValues(type: TokenType, data: Json): string[] {
  const value = sensitiveMember(type, data)
  if (typeof value !== 'string') return []
  const digits = withoutSeparators(value)
  return digits === '' ? [] : [digits]
}

/**
 * Throws one `invalid` error if the id (given, or made by an expression: X-22), or a key or value of the metadata,
 * contains a sensitive value of the data, regardless of separators between its digits (T-05), or twelve and more digits
 * of a card number in their order, whatever stands between them. Not for ids that the vault generates: a UUID may
 * contain a short account number by chance.
 */
export function refuseSensitive(
  type: TokenType,
  data: Json,
  id: string | undefined,
  metadata: Readonly<Record<string, string>> | undefined,
): void {
  if (id === undefined && metadata === undefined) return
  const values = sensitiveValues(type, data)
  const isCard = type === 'card' || type === 'card_number'
  const contains = (text: string) => {
    const bare = withoutSeparators(text)
    if (values.some((each) => (each.length < shortestSearched ? bare === each : bare.includes(each)))) {
      return true
    }
    // A text with fewer characters has no such run.
    if (!isCard || bare.length < TOO_MANY_OF_A_CARD) return false
    const digits = digitsOf(bare)
    if (digits.length < TOO_MANY_OF_A_CARD) return false
    return values.some((each) => runsOf(each).some((run) => digits.includes(run)))
  }
  const problems = new Problems()
  if (id !== undefined && contains(id)) problems.add('id', 'must not contain the sensitive value')
  for (const [key, value] of Object.entries(metadata ?? {})) {
    // SECURITY: a key that contains the value must not be returned as the error's path.
    if (contains(key)) problems.add('metadata', 'must not contain the sensitive value in a key')
    else if (contains(value)) {
      problems.add(memberPath('metadata', key), 'must not contain the sensitive value')
    }
  }
  problems.throwIfAny()
}

function sensitiveMember(type: TokenType, data: Json): Json | undefined {
  switch (type) {
    case 'card':
      return isObject(data) ? data.number : undefined
    case 'bank':
      return isObject(data) ? data.account_number : undefined
    case 'card_number':
    case 'us_bank_account_number':
    case 'social_security_number':
    case 'employer_id_number':
      return data
    case 'token':
    case 'us_bank_routing_number':
      return undefined
  }
}

/** Every run of digits of a card number that is too long to be shown. */
function runsOf(card: string): string[] {
  const runs = card.length - TOO_MANY_OF_A_CARD + 1
  return Array.from({ length: Math.max(runs, 0) }, (_, at) => card.slice(at, at + TOO_MANY_OF_A_CARD))
}

/** The digits of a text as plain ones, whatever script they are of. */
function digitsOf(text: string): string {
  return text.replace(/\P{Nd}/gu, '').replace(/[^0-9]/gu, plainDigit)
}

/** Unicode places the digits of a script in a row of sixteen, from its first or its seventh place on. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const place = code % 16
  return String(/\p{Nd}/u.test(String.fromCodePoint(code - place)) ? place : place - 6)
}

// SECURITY: NFKC first, so that full-width and other styled digits count as plain digits.
function withoutSeparators(text: string): string {
  return text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '')
}
