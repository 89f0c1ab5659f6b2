import { type Pattern, unicodePattern } from '../patterns/pattern.ts'

export type Transform = { pattern: Pattern; replacement: string }

const longestReplacement = 1000

/**
 * The transform that an option names, or undefined. The pattern's flags are dropped and `gu` set, as in the hosted
 * service.
 *
 * @throws TypeError if the option is something else, SyntaxError or PatternProblem if the pattern cannot be run
 */
export function transformOf(option: unknown): Transform | undefined {
  if (option === null || option === undefined) return undefined
  const [pattern, replacement = '', ...more] = Array.isArray(option) ? (option as unknown[]) : [option]
  if (!(pattern instanceof RegExp) || typeof replacement !== 'string' || more.length > 0) {
    throw new TypeError('must be a RegExp, or an array of one and its replacement')
  }
  if (replacement.length > longestReplacement) throw new TypeError('has a replacement that is too long')
  return { pattern: unicodePattern(pattern), replacement }
}
