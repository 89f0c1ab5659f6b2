const SURROGATE = /[\ud800-\udfff]/

/** The length of a text in whole characters. */
export function lengthOf(text: string): number {
  return SURROGATE.test(text) ? Array.from(text).length : text.length
}

/** Cuts a text after so many whole characters. */
export function cut(text: string, after: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, after), text.slice(after)]
  const characters = Array.from(text)
  return [characters.slice(0, after).join(''), characters.slice(after).join('')]
}

/** A text with every character replaced by `mask`, but for those in `keep`. */
export function blank(text: string, mask: string, keep: string): string {
  if (keep === '' || (keep.length === 1 && !text.includes(keep))) return mask.repeat(lengthOf(text))
  return mapCharacters(text, (character) => (keep.includes(character) ? character : mask))
}

/** A text with each whole character replaced. */
export function mapCharacters(text: string, replace: (character: string) => string): string {
  let result = ''
  for (const character of text) result += replace(character)
  return result
}
