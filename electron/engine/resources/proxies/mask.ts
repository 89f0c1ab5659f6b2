import vm from 'node:vm'
import { CofferError } from '../../../../shared/errors.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import { findExpressionProblem } from '../../../../shared/regular-expression.ts'

/** The script takes its globals as parameters, because looking up a global of a context is slow. */
const source = `((body, dot, found, Groups) => {
  const short = 10_000
  return body.replace(found, (...match) => {
    // The arguments end with the offset, the whole text and, if there are named groups, an object.
    const end = typeof match.at(-1) === 'object' ? -3 : -2
    let text = match[0]
    for (const group of new Groups(match.slice(1, end))) {
      if (!group) continue
      let length = 0
      for (const _ of group) length++
      const dots = dot.repeat(length)
      if (text.length < short) text = text.split(group).join(dots)
      else {
        // A loop can be interrupted; split and join cannot.
        const segments = []
        let at = 0
        for (let next; (next = text.indexOf(group, at)) >= 0; at = next + group.length) {
          segments.push(text.slice(at, next))
        }
        segments.push(text.slice(at))
        text = segments.join(dots)
      }
    }
    return text
  })
})(body, replacement, new RegExp(expression, 'g'), Set)`

/** Created when the first mask needs it, because creating it takes a millisecond. */
let patternContext: { readonly context: vm.Context; readonly script: vm.Script } | undefined

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
  // SECURITY: a vault of an older version may contain an expression that takes long to compile. Compiling cannot be
  // interrupted (case X-65).
  if (findExpressionProblem(expression) !== undefined) {
    throw new CofferError(
      'unprocessable',
      'The regular expression of a mask is too complex. Simplify it, and save the proxy again.',
    )
  }
  // SECURITY: some expressions never terminate, and only a script in a context can be interrupted.
  patternContext ??= { context: vm.createContext({}), script: new vm.Script(source) }
  const { context, script } = patternContext
  Object.assign(context, { body, expression, replacement })
  try {
    return runWithin((timeout) => String(script.runInContext(context, { timeout })), getRemainingMs)
  } catch (error) {
    throw new CofferError('unprocessable', 'The regular expression of a mask takes too long on this body.', {
      cause: error,
    })
  } finally {
    Object.assign(context, { body: '', expression: '', replacement: '' })
  }
}

/** Runs the script, again with the remaining processor time if a busy machine made it run out of time. */
function runWithin(run: (timeout: number) => string, getRemainingMs: () => number, retries = 5): string {
  const before = getRemainingMs()
  try {
    return run(Math.max(1, Math.floor(before)))
  } catch (error) {
    if (retries === 0 || getRemainingMs() < before / 5) throw error
    return runWithin(run, getRemainingMs, retries - 1)
  }
}

/** Masks every number of 12 to 19 digits in a body that passes the Luhn check. */
export function maskCardNumbers(body: string, replacement: string): string {
  return body.replace(/(?<!\d)\d{12,19}(?!\d)/g, (digits) =>
    isLuhnValid(digits) ? replacement.repeat(digits.length) : digits,
  )
}
