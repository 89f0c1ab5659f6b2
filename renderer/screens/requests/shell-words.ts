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
  return new ShellReader(text).readWords()
}

class ShellReader {
  readonly #text: string
  #at = 0
  readonly #words: string[] = []
  readonly #variables: string[] = []
  #word: string | null = null
  #isDone = false

  constructor(text: string) {
    this.#text = text
  }

  readWords(): ShellWords {
    while (this.#at < this.#text.length && !this.#isDone) this.#readNext()
    this.#endWord()
    return { words: this.#words, variables: this.#variables, rest: this.#text.slice(this.#at).trim() }
  }

  #readNext(): void {
    const next = this.#peekCharacter()
    if (next === '\\') this.#readEscape()
    else if (next === "'") this.#readSingleQuoted()
    else if (next === '"') this.#readDoubleQuoted()
    else if (next === '$') this.#readDollar()
    else if (next === '`') throw new CurlImportError(SUBSTITUTION_ERROR)
    else if (/[ \t\r\n]/.test(next)) this.#readSpace(next)
    else if (next === '#' && this.#word === null) this.#skipComment()
    else if (/[|;&<>()]/.test(next)) this.#isDone = true
    else this.#takeCharacters(1)
  }

  /** Ends the word. A line break ends the command, unless only empty lines are before it. */
  #readSpace(space: string): void {
    this.#endWord()
    this.#at++
    this.#isDone = space === '\n' && this.#words.length > 0
  }

  #peekCharacter(ahead = 0): string {
    return this.#text[this.#at + ahead] ?? ''
  }

  #appendText(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  #takeCharacters(count: number): void {
    this.#appendText(this.#text.slice(this.#at, this.#at + count))
    this.#at += count
  }

  #endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word)
    this.#word = null
  }

  #skipComment(): void {
    const line = this.#text.indexOf('\n', this.#at)
    this.#at = line < 0 ? this.#text.length : line
  }

  /** Reads a backslash and the character after it. A line break after it is left out. */
  #readEscape(): void {
    this.#at++
    if (this.#at === this.#text.length)
      throw new CurlImportError('The command ends with a backslash: the rest of it is missing.')
    if (this.#peekCharacter() === '\n') this.#at++
    else if (this.#text.startsWith('\r\n', this.#at)) this.#at += 2
    else this.#takeCharacters(1)
  }

  #readDollar(): void {
    const next = this.#peekCharacter(1)
    if (next === "'") this.#readAnsiQuoted()
    else if (next === '"') {
      this.#at++
      this.#readDoubleQuoted()
    } else this.#readVariable()
  }

  #readVariable(): void {
    if (this.#peekCharacter(1) === '(') throw new CurlImportError(SUBSTITUTION_ERROR)
    const ahead = this.#text.slice(this.#at, this.#at + 200)
    const [reference] = /^\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/.exec(ahead) ?? []
    if (reference !== undefined) this.#variables.push(reference)
    this.#takeCharacters(reference?.length ?? 1)
  }

  #readSingleQuoted(): void {
    const close = this.#text.indexOf("'", this.#at + 1)
    if (close < 0) throw new CurlImportError(OPEN_QUOTE_ERROR)
    this.#appendText(this.#text.slice(this.#at + 1, close))
    this.#at = close + 1
  }

  #readDoubleQuoted(): void {
    this.#readQuoted('"', (character) => {
      if (character === '`') throw new CurlImportError(SUBSTITUTION_ERROR)
      if (character === '$') this.#readVariable()
      else if (character === '\\' && /[$`"\\\n]/.test(this.#peekCharacter(1))) this.#readEscape()
      else this.#takeCharacters(1)
    })
  }

  /** Reads `$'…'`, which has the escapes of C. */
  #readAnsiQuoted(): void {
    this.#at++
    this.#readQuoted("'", (character) => {
      if (character === '\\') this.#readAnsiEscape()
      else this.#takeCharacters(1)
    })
  }

  #readQuoted(quote: string, readInner: (character: string) => void): void {
    this.#appendText('')
    for (this.#at++; this.#peekCharacter() !== quote; ) {
      if (this.#at >= this.#text.length) throw new CurlImportError(OPEN_QUOTE_ERROR)
      readInner(this.#peekCharacter())
    }
    this.#at++
  }

  #readAnsiEscape(): void {
    const ahead = this.#text.slice(this.#at, this.#at + 10)
    const coded = /^\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
      ahead,
    )
    if (!coded) {
      const letter = this.#peekCharacter(1)
      this.#appendText(escapes[letter] ?? (/[\\'"?]/.test(letter) ? letter : `\\${letter}`))
      this.#at += 2
      return
    }
    const [sequence, hex, four, eight, octal = ''] = coded
    const code = Number.parseInt(hex ?? four ?? eight ?? octal, octal === '' ? 16 : 8)
    if (code > 0x10ffff) throw new CurlImportError('The command contains an escape that is not a character.')
    this.#appendText(String.fromCodePoint(code))
    this.#at += sequence.length
  }
}
