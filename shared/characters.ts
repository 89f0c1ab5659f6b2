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

/** Splits a text after this many code points. */
export function splitCodePoints(text: string, count: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, count), text.slice(count)]
  let at = 0
  for (let passed = 0; passed < count && at < text.length; passed++) at += codePointWidth(text, at)
  return [text.slice(0, at), text.slice(at)]
}
