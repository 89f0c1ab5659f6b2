const SURROGATE = /[\ud800-\udfff]/

/** The length of a text in Unicode code points, as every bound counts it (rule A-15). */
export function lengthOf(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let length = 0
  for (let at = 0; at < text.length; at += widthAt(text, at)) length++
  return length
}

/** How many UTF-16 units the code point at an index takes. */
export function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** Splits a text after so many code points. */
export function cut(text: string, after: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, after), text.slice(after)]
  const characters = Array.from(text)
  return [characters.slice(0, after).join(''), characters.slice(after).join('')]
}
