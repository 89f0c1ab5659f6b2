import { countCodePoints } from '../../../../shared/characters.ts'
import { CofferError } from '../../../../shared/errors.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { SpendSteps } from '../../../../shared/patterns/code-set.ts'
import { Matcher } from '../../../../shared/patterns/matcher.ts'
import { PatternError } from '../../../../shared/patterns/parse.ts'
import { compileExpression } from '../../../../shared/regular-expression.ts'

/** The steps after which the processor time is read: a fraction of a millisecond. */
const STEPS_BETWEEN_READINGS = 4096

/** SECURITY: a search for a long text may take long, and cannot be interrupted (case X-65). */
const MAX_SEARCHED = 16

/**
 * Masks a body with a regular expression: inside each match, every occurrence of the text of a capture group is
 * replaced with `replacement`, repeated to the same length (rule G-05). `getRemainingMs` returns how much processor
 * time, in ms, the transforms of this call may still use. Throws `unprocessable` if the mask takes longer, or if the
 * expression is too complex.
 */
export function maskByExpression(
  body: string,
  expression: string,
  replacement: string,
  getRemainingMs: () => number,
): string {
  const spend = createSpend(getRemainingMs)
  const matcher = new Matcher(compileStored(expression), body, false, spend)
  const parts: string[] = []
  let at = 0
  while (matcher.findNext()) {
    let text = body.slice(matcher.start, matcher.end)
    for (const group of new Set(matcher.readGroups())) {
      if (group) text = replaceText(text, group, replacement, spend)
    }
    parts.push(body.slice(at, matcher.start), text)
    at = matcher.end
  }
  return parts.join('') + body.slice(at)
}

function compileStored(expression: string) {
  try {
    return compileExpression(expression)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    // A vault of an older version may contain an expression that is now rejected.
    throw new CofferError(
      'unprocessable',
      'The regular expression of a mask is too complex. Simplify it, and save the proxy again.',
    )
  }
}

/** Stops a mask when the processor time is used up. */
function createSpend(getRemainingMs: () => number): SpendSteps {
  let steps = 0
  return (more) => {
    steps += more
    if (steps < STEPS_BETWEEN_READINGS) return
    steps = 0
    if (getRemainingMs() > 0) return
    throw new CofferError('unprocessable', 'The regular expression of a mask takes too long on this body.')
  }
}

/** Replaces every occurrence of a text by a character, repeated to the same length. */
function replaceText(text: string, replaced: string, character: string, spend: SpendSteps): string {
  const replacement = character.repeat(countCodePoints(replaced))
  if (text === replaced) return replacement
  const beginning = replaced.slice(0, MAX_SEARCHED)
  const parts: string[] = []
  let at = 0
  for (let found = text.indexOf(beginning); found >= 0; ) {
    spend(1 + (replaced.length >> 4))
    const isWhole = text.startsWith(replaced, found)
    if (isWhole) {
      parts.push(text.slice(at, found), replacement)
      at = found + replaced.length
    }
    found = text.indexOf(beginning, isWhole ? at : found + 1)
  }
  spend(text.length >> 4)
  return parts.join('') + text.slice(at)
}

/** Masks every number of 12 to 19 digits in a body that passes the Luhn check. */
export function maskCardNumbers(body: string, replacement: string): string {
  return body.replace(/(?<!\d)\d{12,19}(?!\d)/g, (digits) =>
    isLuhnValid(digits) ? replacement.repeat(digits.length) : digits,
  )
}
