import { codePointWidth, countCodePoints } from '../../../../shared/characters.ts'
import { createPatternExcept } from '../../../../shared/patterns/code-set.ts'

/** Returns a function that replaces every character of a string, except those in `keep`, with the mask character. */
export function createMasker(keep: string): (text: string, mask: string) => string {
  const unmasked = Array.from(keep)
  const maskedPattern = createPatternExcept(unmasked)
  return (text, mask) => {
    if (unmasked.some((character) => text.includes(character))) return text.replace(maskedPattern, mask)
    return mask.repeat(countCodePoints(text))
  }
}

/** Replaces every character of a string with the mask character. */
export function maskAll(text: string, mask: string): string {
  return mask.repeat(countCodePoints(text))
}

/** Replaces each character (code point) of a string. */
export function mapCharacters(text: string, replace: (character: string) => string): string {
  let result = ''
  for (let at = 0, width = 1; at < text.length; at += width) {
    width = codePointWidth(text, at)
    result += replace(width === 1 ? text.charAt(at) : text.slice(at, at + 2))
  }
  return result
}
