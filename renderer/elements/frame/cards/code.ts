import { digitsOf, judged, type Rule } from '../field.ts'

/** The rules of a verification code of this many digits; unset, three or four. */
export function codeRule(size: number | undefined): Rule {
  const [least, most] = size === undefined ? [3, 4] : [size, size]
  return {
    edit({ raw, caret }) {
      const text = digitsOf(raw).slice(0, most)
      return { text, caret: Math.min(digitsOf(raw.slice(0, caret)).length, text.length) }
    },
    judge(text) {
      const maskSatisfied = text.length >= least && text.length <= most
      if (maskSatisfied) return judged(maskSatisfied, null)
      return judged(maskSatisfied, text.length < least ? 'incomplete' : 'invalid')
    },
  }
}
