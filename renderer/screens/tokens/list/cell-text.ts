/** Characters that separate pairs, escaped where they are part of a key or a value. */
const escapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r' }

function escapePart(text: string, separators: RegExp): string {
  return text.replace(separators, (found) => `\\${escapes[found] ?? found}`).replace(/^ | $/g, '\\ ')
}

function unescapePart(text: string): string {
  const raw: Readonly<Record<string, string>> = { n: '\n', r: '\r' }
  return text
    .replace(/^ +|(?<!\\)((?:\\\\)*) +$/g, '$1')
    .replace(/\\(.)/g, (_, character: string) => raw[character] ?? character)
}

/** Metadata as one line of text: `customer=ada; order=17`. */
export function formatPairs(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${escapePart(key, /[\\=;\n\r]/g)}=${escapePart(value, /[\\;\n\r]/g)}`)
    .join('; ')
}

/** Parses what `formatPairs` returns, and what people type; null if a pair has no `=` or no key. */
export function parsePairs(text: string): Record<string, string> | null {
  const pairs: [string, string][] = []
  for (const [part] of text.matchAll(/(?:\\.|[^;\\]|\\$)+/g)) {
    if (part.trim() === '') continue
    const [, key = '', value] = /^((?:\\.|[^=\\])*)=(.*)$/s.exec(part) ?? []
    const name = unescapePart(key)
    if (value === undefined || name === '') return null
    pairs.push([name, unescapePart(value)])
  }
  // fromEntries defines members; assigning one named __proto__ would change the prototype.
  return Object.fromEntries(pairs)
}

/** Container paths as one line of text. Paths contain no commas. */
export function formatContainers(containers: readonly string[]): string {
  return containers.join(', ')
}

/** Parses container paths; null without any. */
export function parseContainers(text: string): string[] | null {
  const paths = text.split(/[,\s]+/).filter((path) => path !== '')
  const whole = paths.map((path) => `/${path.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/'))
  return whole.length === 0 ? null : [...new Set(whole)]
}
