import { isObject, type Json } from '../../../../../shared/json.ts'
import { Problems, toMemberPath } from '../../../../../shared/problems.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'

// The minimum length of a number that is searched for inside other text. A shorter one can occur there by chance,
// so only an exact match counts.
const MIN_SEARCHED_LENGTH = 5
/** The number of consecutive digits of a card number that reveals too much of it. */
const MIN_REVEALING_DIGITS = 12

/**
 * Returns the digits of the card, account or tax number in the data, which must not appear in the id or the
 * metadata (T-05). Returns an empty list if there is none.
 */
export function listSensitiveValues(type: TokenType, data: Json): string[] {
  const value = getSensitiveMember(type, data)
  if (typeof value !== 'string') return []
  const digits = removeSeparators(value)
  return digits === '' ? [] : [digits]
}

/**
 * Throws one `invalid` error if the id (set by the caller or by an expression: X-22), or a key or value of the
 * metadata, contains a sensitive value of the data, with or without separators (T-05). Twelve or more consecutive
 * digits of a card number count too, whatever is between them. Do not pass an id that the vault generated, because
 * a UUID may contain a short account number by chance.
 */
export function assertNoSensitiveValues(
  type: TokenType,
  data: Json,
  id: string | undefined,
  metadata: Readonly<Record<string, string>> | undefined,
): void {
  if (id === undefined && metadata === undefined) return
  const values = listSensitiveValues(type, data)
  const isCard = type === 'card' || type === 'card_number' || type === 'network_token'
  const containsSensitiveValue = (text: string) => {
    const stripped = removeSeparators(text)
    if (
      values.some((each) => (each.length < MIN_SEARCHED_LENGTH ? stripped === each : stripped.includes(each)))
    ) {
      return true
    }
    // A string this short cannot contain twelve digits.
    if (!isCard || stripped.length < MIN_REVEALING_DIGITS) return false
    const digits = extractDigits(stripped)
    if (digits.length < MIN_REVEALING_DIGITS) return false
    return values.some((each) => containsDigitRun(digits, each))
  }
  const problems = new Problems()
  if (id !== undefined && containsSensitiveValue(id))
    problems.add('id', 'must not contain the sensitive value')
  for (const [key, value] of Object.entries(metadata ?? {})) {
    // SECURITY: a key that contains the value must not be returned as the error's path.
    if (containsSensitiveValue(key)) problems.add('metadata', 'must not contain the sensitive value in a key')
    else if (containsSensitiveValue(value)) {
      problems.add(toMemberPath('metadata', key), 'must not contain the sensitive value')
    }
  }
  problems.throwIfAny()
}

function getSensitiveMember(type: TokenType, data: Json): Json | undefined {
  switch (type) {
    case 'card':
    case 'network_token':
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

/** Whether digits contain twelve consecutive digits of a card number. */
function containsDigitRun(digits: string, card: string): boolean {
  for (let at = 0; at + MIN_REVEALING_DIGITS <= card.length; at++)
    if (digits.includes(card.slice(at, at + MIN_REVEALING_DIGITS))) return true
  return false
}

/** Returns the digits in a string, of any script, as ASCII digits. */
function extractDigits(text: string): string {
  return text.replace(/\P{Nd}/gu, '').replace(/[^0-9]/gu, toPlainDigit)
}

/** Converts a digit to ASCII. Unicode has the digits of a script at offset 0 or 6 of a block of 16 code points. */
function toPlainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const offset = code % 16
  return String(/\p{Nd}/u.test(String.fromCodePoint(code - offset)) ? offset : offset - 6)
}

// SECURITY: normalizes with NFKC first, so that full-width and other styled digits count as ASCII digits.
function removeSeparators(text: string): string {
  if (/^[A-Za-z0-9]*$/.test(text)) return text
  return text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '')
}
