import { splitCodePoints } from '../../../shared/characters.ts'
import { markText } from '../../ui/text/marked-text.tsx'

const MAX_WORD_LENGTH = 24

/**
 * The word to type as a confirmation: the name, or the start of a long name. Characters that change the
 * text direction are replaced by codes, as markText displays them.
 */
export function getConfirmationWord(name: string): string {
  return splitCodePoints(markText(name).trim(), MAX_WORD_LENGTH)[0].trim()
}

/** Whether the input confirms the action. The full name always does. */
export function isConfirmed(name: string, input: string): boolean {
  const entered = input.trim().toLowerCase()
  return [name.trim(), getConfirmationWord(name)].some((word) => word.toLowerCase() === entered)
}
