const SURROGATE = /[\ud800-\udfff]/

/** The length of a text in whole characters. */
export function lengthOf(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let length = 0
  for (let at = 0; at < text.length; at += widthAt(text, at)) length++
  return length
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** Cuts a text after so many whole characters. */
export function cut(text: string, after: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, after), text.slice(after)]
  const characters = Array.from(text)
  return [characters.slice(0, after).join(''), characters.slice(after).join('')]
}

/** Makes what replaces every character of a text, but those in `keep`, by another. */
export function masker(keep: string): (text: string, mask: string) => string {
  const kept = Array.from(keep)
  const codes = kept.map((character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  const others = new RegExp(`[^${codes.join('')}]`, 'gsu')
  return (text, mask) => {
    if (kept.some((character) => text.includes(character))) return text.replace(others, mask)
    return mask.repeat(lengthOf(text))
  }
}

/** A text with every character replaced by another. */
export function blank(text: string, mask: string): string {
  return mask.repeat(lengthOf(text))
}

/** A text with each whole character replaced. */
export function mapCharacters(text: string, replace: (character: string) => string): string {
  let result = ''
  for (let at = 0, width = 1; at < text.length; at += width) {
    width = widthAt(text, at)
    result += replace(width === 1 ? text.charAt(at) : text.slice(at, at + 2))
  }
  return result
}
