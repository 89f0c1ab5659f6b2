export type Assertion = '^' | '$' | 'b' | 'B'

/** A part of a regular expression. */
export type Part =
  | { is: 'one'; test: (character: string) => boolean }
  | { is: 'sequence'; parts: readonly Part[] }
  | { is: 'either'; parts: readonly Part[] }
  | { is: 'group'; part: Part; number: number; name: string | undefined }
  | { is: 'repeat'; part: Part; least: number; most: number; lazy: boolean }
  | { is: 'assertion'; what: Assertion }
  | { is: 'ahead'; part: Part; negative: boolean }

/** Why a pattern is not run. Its text is not in the message. */
export class PatternProblem extends Error {}

const unicodeEscape =
  /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89a-bA-B]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[\s\S])/u
const plainEscape = /^\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])/
const repeated = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/
const characterClass = /^\[(?:\\[\s\S]|[^\]\\])*\]/u

/** The parts of a pattern that the browser has compiled, so its syntax is right. */
export function parsePattern({ source, flags }: RegExp): Part {
  const oneFlags = flags.replace(/[^isu]/g, '')
  const [escapeAhead, single] = flags.includes('u') ? [unicodeEscape, /^[\s\S]/u] : [plainEscape, /^[\s\S]/]
  let rest = source
  let groups = 0

  function take(length: number): string {
    const taken = rest.slice(0, length)
    rest = rest.slice(length)
    return taken
  }

  function one(text: string): Part {
    // SECURITY: the browser's own engine sees one character at a time, so it has nothing to go back over.
    const alone = new RegExp(`^(?:${text})$`, oneFlags)
    return { is: 'one', test: (character) => alone.test(character) }
  }

  function either(): Part {
    const options = [sequence()]
    while (rest.startsWith('|')) {
      take(1)
      options.push(sequence())
    }
    return options.length === 1 && options[0] ? options[0] : { is: 'either', parts: options }
  }

  function sequence(): Part {
    const parts: Part[] = []
    while (rest !== '' && !/^[|)]/.test(rest)) parts.push(quantified(atom()))
    return { is: 'sequence', parts }
  }

  function quantified(part: Part): Part {
    const [text = '', low, comma, high] = repeated.exec(rest) ?? []
    if (text === '') return part
    take(text.length)
    const lazy = text.length > 1 && text.endsWith('?')
    const first = text[0]
    if (first !== '{') {
      return { is: 'repeat', part, least: first === '+' ? 1 : 0, most: first === '?' ? 1 : Infinity, lazy }
    }
    const least = Number(low)
    return { is: 'repeat', part, least, most: comma ? Number(high || Infinity) : least, lazy }
  }

  function atom(): Part {
    if (rest.startsWith('(')) return group()
    if (/^[$^]/.test(rest)) return { is: 'assertion', what: take(1) === '^' ? '^' : '$' }
    const [boundary = ''] = /^\\[bB]/.exec(rest) ?? []
    if (boundary) {
      take(2)
      return { is: 'assertion', what: boundary === '\\b' ? 'b' : 'B' }
    }
    if (/^\\(?:[1-9]|k<)/.test(rest)) throw new PatternProblem('has a backreference')
    const [text = ''] = escapeAhead.exec(rest) ?? characterClass.exec(rest) ?? single.exec(rest) ?? []
    take(text.length)
    return one(/^[{}\]]$/.test(text) ? `\\${text}` : text)
  }

  function group(): Part {
    const [open = '', kind, name] = /^\((?:\?(<([^=!>][^>]*)>|<?[=!]|:))?/.exec(rest) ?? []
    take(open.length)
    if (kind === '<=' || kind === '<!') throw new PatternProblem('looks behind')
    if (rest.startsWith('?')) throw new PatternProblem('has a group of a kind that is not known')
    const number = kind === undefined || name ? ++groups : 0
    const part = either()
    take(1)
    if (kind === '=' || kind === '!') return { is: 'ahead', part, negative: kind === '!' }
    return number > 0 ? { is: 'group', part, number, name } : part
  }

  return either()
}
