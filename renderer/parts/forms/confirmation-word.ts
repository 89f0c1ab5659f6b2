import { splitCodePoints } from '../../../shared/characters.ts'
import { markText } from '../../ui/text/marked-text.tsx'

const MAX_WORD_LENGTH = 24

/**
 * What the owner types to confirm something about a thing of this name: the name, or the beginning of a long one, with
 * characters that turn text around as the codes they are shown as.
 */
export function confirmationWord(name: string): string {
  return splitCodePoints(markText(name).trim(), MAX_WORD_LENGTH)[0].trim()
}

/** Whether this confirms it. The whole name does too. */
export function isConfirmed(name: string, input: string): boolean {
  const entered = input.trim().toLowerCase()
  return [name.trim(), confirmationWord(name)].some((word) => word.toLowerCase() === entered)
}
