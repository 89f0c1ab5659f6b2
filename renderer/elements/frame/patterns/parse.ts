export type Assertion = '^' | '$' | 'b' | 'B'

/** A node of a parsed regular expression. */
export type PatternNode =
  | { is: 'one'; test: (character: string) => boolean }
  | { is: 'sequence'; parts: readonly PatternNode[] }
  | { is: 'either'; parts: readonly PatternNode[] }
  | { is: 'group'; part: PatternNode; number: number; name: string | undefined }
  | { is: 'repeat'; part: PatternNode; min: number; max: number; lazy: boolean }
  | { is: 'assertion'; what: Assertion }
  | { is: 'ahead'; part: PatternNode; negative: boolean }

/** Why a pattern is rejected. The message does not contain the pattern. */
export class PatternError extends Error {}

const unicodeEscape =
  /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89a-bA-B]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[\s\S])/u
const plainEscape = /^\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])/
const repeated = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/
const characterClass = /^\[(?:\\[\s\S]|[^\]\\])*\]/u

const assertions: Readonly<Record<string, Assertion>> = { '^': '^', $: '$', '\\b': 'b', '\\B': 'B' }

/** Parses a pattern that the browser has compiled, so its syntax is known to be valid. */
export function parsePattern({ source, flags }: RegExp): PatternNode {
  const oneFlags = flags.replace(/[^isu]/g, '')
  const [escapeAhead, single] = flags.includes('u') ? [unicodeEscape, /^[\s\S]/u] : [plainEscape, /^[\s\S]/]
  let rest = source
  let groups = 0

  function takeText(length: number): string {
    const taken = rest.slice(0, length)
    rest = rest.slice(length)
    return taken
  }

  function createCharacterNode(text: string): PatternNode {
    // SECURITY: the browser's own engine tests one character at a time, so it cannot backtrack.
    const alone = new RegExp(`^(?:${text})$`, oneFlags)
    return { is: 'one', test: (character) => alone.test(character) }
  }

  function parseAlternatives(): PatternNode {
    const options = [parseSequence()]
    while (rest.startsWith('|')) {
      takeText(1)
      options.push(parseSequence())
    }
    return options.length === 1 && options[0] ? options[0] : { is: 'either', parts: options }
  }

  function parseSequence(): PatternNode {
    const parts: PatternNode[] = []
    while (rest !== '' && !/^[|)]/.test(rest)) parts.push(parseQuantifier(parseAtom()))
    return { is: 'sequence', parts }
  }

  function parseQuantifier(part: PatternNode): PatternNode {
    const [text = '', low, comma, high] = repeated.exec(rest) ?? []
    if (text === '') return part
    takeText(text.length)
    const lazy = text.length > 1 && text.endsWith('?')
    const [min, max] = parseBounds(text, low, comma, high)
    return { is: 'repeat', part, min, max, lazy }
  }

  function parseAtom(): PatternNode {
    if (rest.startsWith('(')) return parseGroup()
    const [assertion = ''] = /^(?:[$^]|\\[bB])/.exec(rest) ?? []
    const what = assertions[assertion]
    if (what) {
      takeText(assertion.length)
      return { is: 'assertion', what }
    }
    if (/^\\(?:[1-9]|k<)/.test(rest)) throw new PatternError('has a backreference')
    const [text = ''] = escapeAhead.exec(rest) ?? characterClass.exec(rest) ?? single.exec(rest) ?? []
    takeText(text.length)
    return createCharacterNode(/^[{}\]]$/.test(text) ? `\\${text}` : text)
  }

  function parseGroup(): PatternNode {
    const [open = '', kind, name] = /^\((?:\?(<([^=!>][^>]*)>|<?[=!]|:))?/.exec(rest) ?? []
    takeText(open.length)
    if (kind === '<=' || kind === '<!') throw new PatternError('has a lookbehind')
    if (rest.startsWith('?')) throw new PatternError('has an unknown kind of group')
    const number = kind === undefined || name ? ++groups : 0
    const part = parseAlternatives()
    takeText(1)
    if (kind === '=' || kind === '!') return { is: 'ahead', part, negative: kind === '!' }
    return number > 0 ? { is: 'group', part, number, name } : part
  }

  return parseAlternatives()
}

function parseBounds(
  text: string,
  low: string | undefined,
  comma: string | undefined,
  high: string | undefined,
): [min: number, max: number] {
  if (text.startsWith('*')) return [0, Infinity]
  if (text.startsWith('+')) return [1, Infinity]
  if (text.startsWith('?')) return [0, 1]
  return [Number(low), Number(comma ? high || Infinity : low)]
}
