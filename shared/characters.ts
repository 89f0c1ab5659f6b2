const SURROGATE = /[\ud800-\udfff]/

/** Returns the number of Unicode code points in a string. All length limits count code points (rule A-15). */
export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let length = 0
  for (let at = 0; at < text.length; at += codePointWidth(text, at)) length++
  return length
}

/** Returns the number of UTF-16 code units of the code point at an index: 1 or 2. */
export function codePointWidth(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** Splits a string after `count` code points. The second part is empty if the string is shorter. */
export function splitCodePoints(text: string, count: number): [string, string] {
  if (!SURROGATE.test(text)) return [text.slice(0, count), text.slice(count)]
  let at = 0
  for (let passed = 0; passed < count && at < text.length; passed++) at += codePointWidth(text, at)
  return [text.slice(0, at), text.slice(at)]
}
