/** Why a command cannot be imported; the message is for the user. */
export class CurlImportError extends Error {}

/** The words of a command, and the parts that only a shell would process. */
export type ShellWords = {
  readonly words: readonly string[]
  /** Shell variables, which stay unexpanded. */
  readonly variables: readonly string[]
  /** The text after the command, from a pipe, a redirection or a line break on; empty if there is none. */
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
const SUBSTITUTION_ERROR = 'The command runs another command with $( or `. Replace that with its output.'
const OPEN_QUOTE_ERROR = 'A quote in the command is not closed.'

/**
 * Splits the first command in `text` into words, like a POSIX shell and bash. Throws `CurlImportError` if the
 * command is malformed or needs a shell.
 */
export function splitShellWords(text: string): ShellWords {
  const words: string[] = []
  const variables: string[] = []
  let word: string | null = null
  let at = 0

  function appendToWord(part: string): void {
    word = (word ?? '') + part
  }
  function endWord(): void {
    if (word !== null) words.push(word)
    word = null
  }
  /** Reads a `$` outside of single quotes. */
  function readDollar(quoted: boolean): void {
    const after = text[at + 1]
    if (after === '(') throw new CurlImportError(SUBSTITUTION_ERROR)
    if (!quoted && after === "'") readAnsiQuoted()
    else if (!quoted && after === '"') {
      at++
      readDoubleQuoted()
    } else readVariable()
  }
  function readVariable(): void {
    const [reference] = /^\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/.exec(text.slice(at, at + 200)) ?? []
    if (reference !== undefined) variables.push(reference)
    appendToWord(reference ?? '$')
    at += reference?.length ?? 1
  }
  function readSingleQuoted(): void {
    const close = text.indexOf("'", at + 1)
    if (close < 0) throw new CurlImportError(OPEN_QUOTE_ERROR)
    appendToWord(text.slice(at + 1, close))
    at = close + 1
  }
  function readDoubleQuoted(): void {
    appendToWord('')
    for (at++; text[at] !== '"'; ) {
      const each = text[at]
      if (each === undefined) throw new CurlImportError(OPEN_QUOTE_ERROR)
      if (each === '`') throw new CurlImportError(SUBSTITUTION_ERROR)
      if (each === '$') readDollar(true)
      else if (each === '\\' && /[$`"\\\n]/.test(text[at + 1] ?? '')) {
        if (text[at + 1] !== '\n') appendToWord(text[at + 1] ?? '')
        at += 2
      } else {
        appendToWord(each)
        at++
      }
    }
    at++
  }
  /** Reads `$'…'`, which has the escapes of C. */
  function readAnsiQuoted(): void {
    appendToWord('')
    for (at += 2; text[at] !== "'"; ) {
      const each = text[at]
      if (each === undefined) throw new CurlImportError(OPEN_QUOTE_ERROR)
      if (each !== '\\') {
        appendToWord(each)
        at++
        continue
      }
      const coded = /^\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
        text.slice(at, at + 10),
      )
      if (coded) {
        const [sequence, hex, four, eight, octal] = coded
        const code =
          octal === undefined ? Number.parseInt(hex ?? four ?? eight ?? '0', 16) : Number.parseInt(octal, 8)
        if (code > 0x10ffff)
          throw new CurlImportError('The command contains an escape that is not a character.')
        appendToWord(String.fromCodePoint(code))
        at += sequence.length
      } else {
        const letter = text[at + 1] ?? ''
        if (!(letter in escapes) && !/[\\'"?]/.test(letter)) appendToWord('\\')
        appendToWord(escapes[letter] ?? letter)
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
        throw new CurlImportError('The command ends with a backslash: the rest of it is missing.')
      else {
        appendToWord(text[at + 1] ?? '')
        at += 2
      }
    } else if (each === "'") readSingleQuoted()
    else if (each === '"') readDoubleQuoted()
    else if (each === '$') readDollar(false)
    else if (each === '`') throw new CurlImportError(SUBSTITUTION_ERROR)
    else if (each === ' ' || each === '\t' || each === '\r') {
      endWord()
      at++
    } else if (each === '#' && word === null) {
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line
    } else if (each === '\n') {
      endWord()
      at++
      // Skips empty lines before the command.
      if (words.length > 0) break
    } else if (/[|;&<>()]/.test(each)) {
      endWord()
      break
    } else {
      appendToWord(each)
      at++
    }
  }
  endWord()
  return { words, variables, rest: text.slice(at).trim() }
}
