import { createUnicodePattern, type SafePattern } from '../patterns/pattern.ts'

export type TextTransform = { pattern: SafePattern; replacement: string }

const MAX_REPLACEMENT_LENGTH = 1000

/**
 * Parses the option `transform`; undefined if it is not set. As in the hosted service, the pattern's flags
 * are replaced by `gu`.
 *
 * @throws TypeError if the option has another type, SyntaxError or PatternError if the pattern cannot be run
 */
export function parseTransform(option: unknown): TextTransform | undefined {
  if (option === null || option === undefined) return undefined
  const [pattern, replacement = '', ...more] = Array.isArray(option) ? (option as unknown[]) : [option]
  if (!(pattern instanceof RegExp) || typeof replacement !== 'string' || more.length > 0) {
    throw new TypeError('must be a RegExp, or an array of one and its replacement')
  }
  if (replacement.length > MAX_REPLACEMENT_LENGTH) throw new TypeError('has a replacement that is too long')
  return { pattern: createUnicodePattern(pattern), replacement }
}
