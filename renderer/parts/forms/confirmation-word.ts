import { cut } from '../../../shared/characters.ts'
import { markedText } from '../../ui/text/marked-text.tsx'

const LONGEST = 24

/**
 * What the owner types to confirm something about a thing of this name: the name, or the beginning of a long one, with
 * characters that turn text around as the codes they are shown as.
 */
export function confirmationWord(name: string): string {
  return cut(markedText(name).trim(), LONGEST)[0].trim()
}

/** Whether this confirms it. The whole name does too. */
export function isConfirmed(name: string, typed: string): boolean {
  const given = typed.trim().toLowerCase()
  return [name.trim(), confirmationWord(name)].some((word) => word.toLowerCase() === given)
}
