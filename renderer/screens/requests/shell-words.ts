/** Why a line cannot be imported; the message is for people. */
export class NotTaken extends Error {}

/** The words of a command, and what the shell would have done that is not done here. */
export type Words = {
  readonly words: readonly string[]
  /** Variables of the shell, which are left as they are written. */
  readonly variables: readonly string[]
  /** What follows the command, from a pipe, a redirection or the end of the line on; empty if nothing does. */
  readonly rest: string
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}
const substitution = 'The line runs another command inside, with $( or `. Replace that with its output.'
const open = 'A quote in the line is not closed.'

/** Splits the first command of a text into words, as a POSIX shell and bash do. Throws `NotTaken`. */
export function shellWords(text: string): Words {
  const words: string[] = []
  const variables: string[] = []
  let word: string | null = null
  let at = 0

  function add(part: string): void {
    word = (word ?? '') + part
  }
  function end(): void {
    if (word !== null) words.push(word)
    word = null
  }
  /** A `$` outside of single quotes, at `at`. */
  function dollar(quoted: boolean): void {
    const after = text[at + 1]
    if (after === '(') throw new NotTaken(substitution)
    if (!quoted && after === "'") ansi()
    else if (!quoted && after === '"') {
      at++
      double()
    } else variable()
  }
  function variable(): void {
    const [whole] = /^\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/.exec(text.slice(at, at + 200)) ?? []
    if (whole !== undefined) variables.push(whole)
    add(whole ?? '$')
    at += whole?.length ?? 1
  }
  function single(): void {
    const close = text.indexOf("'", at + 1)
    if (close < 0) throw new NotTaken(open)
    add(text.slice(at + 1, close))
    at = close + 1
  }
  function double(): void {
    add('')
    for (at++; text[at] !== '"'; ) {
      const each = text[at]
      if (each === undefined) throw new NotTaken(open)
      if (each === '`') throw new NotTaken(substitution)
      if (each === '$') dollar(true)
      else if (each === '\\' && /[$`"\\\n]/.test(text[at + 1] ?? '')) {
        if (text[at + 1] !== '\n') add(text[at + 1] ?? '')
        at += 2
      } else {
        add(each)
        at++
      }
    }
    at++
  }
  /** `$'…'`, whose escapes are those of C. */
  function ansi(): void {
    add('')
    for (at += 2; text[at] !== "'"; ) {
      const each = text[at]
      if (each === undefined) throw new NotTaken(open)
      if (each !== '\\') {
        add(each)
        at++
        continue
      }
      const coded = /^\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
        text.slice(at, at + 10),
      )
      if (coded) {
        const [whole, hex, four, eight, octal] = coded
        const code =
          octal === undefined ? Number.parseInt(hex ?? four ?? eight ?? '0', 16) : Number.parseInt(octal, 8)
        if (code > 0x10ffff) throw new NotTaken('The line has an escape that is no character.')
        add(String.fromCodePoint(code))
        at += whole.length
      } else {
        const named = text[at + 1] ?? ''
        if (!(named in escapes) && !/[\\'"?]/.test(named)) add('\\')
        add(escapes[named] ?? named)
        at += 2
      }
    }
    at++
  }

  while (at < text.length) {
    const each = text[at] ?? ''
    if (each === '\\') {
      if (text[at + 1] === '\n') at += 2
      else if (text.startsWith('\r\n', at + 1)) at += 3
      else if (at + 1 === text.length)
        throw new NotTaken('The line ends in a backslash: the rest of it is missing.')
      else {
        add(text[at + 1] ?? '')
        at += 2
      }
    } else if (each === "'") single()
    else if (each === '"') double()
    else if (each === '$') dollar(false)
    else if (each === '`') throw new NotTaken(substitution)
    else if (each === ' ' || each === '\t' || each === '\r') {
      end()
      at++
    } else if (each === '#' && word === null) {
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line
    } else if (each === '\n') {
      end()
      at++
      // Empty lines before the command are skipped.
      if (words.length > 0) break
    } else if (/[|;&<>()]/.test(each)) {
      end()
      break
    } else {
      add(each)
      at++
    }
  }
  end()
  return { words, variables, rest: text.slice(at).trim() }
}
