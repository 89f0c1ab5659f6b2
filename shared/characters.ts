const SURROGATE = /[\ud800-\udfff]/

/** Returns the length of a text in Unicode code points, in which all limits are counted (rule A-15). */
export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let length = 0
  for (let at = 0; at < text.length; at += codePointWidth(text, at)) length++
  return length
}

/** Returns how many UTF-16 units the code point at an index takes. */
export function codePointWidth(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** Splits a text after `after` code points. */
export function splitCodePoints(text: string, after: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, after), text.slice(after)]
  let at = 0
  for (let count = 0; count < after && at < text.length; count++) at += codePointWidth(text, at)
  return [text.slice(0, at), text.slice(at)]
}
