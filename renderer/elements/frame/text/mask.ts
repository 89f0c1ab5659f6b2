import type { FieldText, TextEdit } from '../field.ts'
import type { SafePattern } from '../patterns/pattern.ts'

/** One slot per character: a pattern restricts what may be typed, a string is inserted automatically. */
export type Mask = readonly (SafePattern | string)[]

/**
 * The maximum length of text to format, longer than any mask. SECURITY: longer text would be tested against
 * every slot.
 */
const MAX_RAW_LENGTH = 5000

/** Formats text with the mask. Characters that fit no slot are omitted. */
function conformToMask(raw: string, mask: Mask, deleting: boolean): string {
  const characters = [...raw.slice(0, MAX_RAW_LENGTH)]
  let at = 0
  let output = ''
  let fill = ''
  let filled = false
  for (const slot of mask) {
    if (typeof slot === 'string') {
      fill += slot
      if (characters[at] === slot) {
        at++
        output += fill
        fill = ''
      }
      continue
    }
    while (at < characters.length && !slot.test(characters[at] ?? '')) at++
    const character = characters[at++]
    if (character === undefined) break
    output += fill + character
    fill = ''
    filled = true
  }
  return filled ? output + (deleting ? '' : fill) : ''
}

export function editMasked({ raw, caret, deleting }: TextEdit, mask: Mask): FieldText {
  const text = conformToMask(raw, mask, deleting)
  return { text, caret: Math.min(conformToMask(raw.slice(0, caret), mask, deleting).length, text.length) }
}
