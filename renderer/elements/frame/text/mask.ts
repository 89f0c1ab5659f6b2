import type { Edit, Shown } from '../field.ts'
import type { Pattern } from '../patterns/pattern.ts'

/** What may stand at each place: a pattern restricts the character, a string is filled in. */
export type Mask = readonly (Pattern | string)[]

/** More than any mask has room for. SECURITY: a long text would be tried against each slot. */
const longestRaw = 5000

/** The text in the form of the mask; characters that fit nowhere are left out. */
function conform(raw: string, mask: Mask, deleting: boolean): string {
  const characters = [...raw.slice(0, longestRaw)]
  let at = 0
  let shown = ''
  let fill = ''
  let filled = false
  for (const slot of mask) {
    if (typeof slot === 'string') {
      fill += slot
      if (characters[at] === slot) {
        at++
        shown += fill
        fill = ''
      }
      continue
    }
    while (at < characters.length && !slot.test(characters[at] ?? '')) at++
    const character = characters[at++]
    if (character === undefined) break
    shown += fill + character
    fill = ''
    filled = true
  }
  return filled ? shown + (deleting ? '' : fill) : ''
}

export function editMasked({ raw, caret, deleting }: Edit, mask: Mask): Shown {
  const text = conform(raw, mask, deleting)
  return { text, caret: Math.min(conform(raw.slice(0, caret), mask, deleting).length, text.length) }
}
