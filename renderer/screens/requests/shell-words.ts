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

/** A piece of a command. What no alternative takes is a quote without its end, or a backslash at the end. */
const PIECE = new RegExp(
  [
    String.raw`(?<space>[ \t\r]+)`,
    String.raw`(?<lineBreak>\n)`,
    String.raw`(?<continued>\\\r?\n)`,
    String.raw`\\(?<escaped>[\s\S])`,
    "'(?<single>[^']*)'",
    String.raw`\$'(?<ansi>[^'\\]*(?:\\[\s\S][^'\\]*)*)'`,
    String.raw`\$?"(?<double>[^"\\]*(?:\\[\s\S][^"\\]*)*)"`,
    '(?<operator>[|;&<>()])',
    String.raw`(?<plain>(?:[^ \t\r\n\\'"|;&<>()$]+|\$\(|\$(?!['"]))+)`,
  ].join('|'),
  'y',
)

/**
 * Splits the first command in `text` into words, like a POSIX shell and bash. Throws `CurlImportError` if the
 * command is malformed or needs a shell.
 */
export function splitShellWords(text: string): ShellWords {
  const words: string[] = []
  const variables: string[] = []
  let word: string | null = null
  let at = 0
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  while (at < text.length) {
    if (word === null && text[at] === '#') at = findLineEnd(text, at)
    const groups = readPiece(text, at)
    if (!groups || groups.operator !== undefined) break
    at = PIECE.lastIndex
    const value = readValue(groups, variables)
    if (value !== null) word = (word ?? '') + value
    else if (groups.continued === undefined) endWord()
    if (groups.lineBreak !== undefined && words.length > 0) break
  }
  endWord()
  return { words, variables, rest: text.slice(at).trim() }
}

function findLineEnd(text: string, from: number): number {
  const line = text.indexOf('\n', from)
  return line < 0 ? text.length : line
}

/** The piece at a place by its kind; undefined at the end. */
function readPiece(text: string, at: number): Partial<Record<string, string>> | undefined {
  if (at === text.length) return undefined
  PIECE.lastIndex = at
  const match = PIECE.exec(text)
  if (match) return match.groups
  throw new CurlImportError(
    text[at] === '\\'
      ? 'The command ends with a backslash: the rest of it is missing.'
      : 'A quote in the command is not closed.',
  )
}

/** The text that a piece stands for; null if it is not part of a word. */
function readValue(
  { escaped, single, ansi, double, plain }: Partial<Record<string, string>>,
  variables: string[],
): string | null {
  if (plain !== undefined) return readUnquoted(plain, variables)
  if (double !== undefined) return readUnquoted(double, variables, /\\\n|\\([$`"\\])/)
  return ansi === undefined ? (escaped ?? single ?? null) : readAnsi(ansi)
}

/** Reads text in which a shell would expand variables: takes out `escapes`, and collects the variables. */
function readUnquoted(text: string, variables: string[], escapes = /(?!)()/): string {
  const special = new RegExp(`${escapes.source}|\\$\\(|\`|\\$(?:\\{[A-Za-z_]\\w*\\}|[A-Za-z_]\\w*)`, 'g')
  return text.replace(special, (found, escaped: string | undefined) => {
    if (found.startsWith('\\')) return escaped ?? ''
    if (found === '`' || found === '$(') throw new CurlImportError(SUBSTITUTION_ERROR)
    variables.push(found)
    return found
  })
}

const ANSI_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g

/** Reads the inside of `$'…'`, which has the escapes of C. */
function readAnsi(text: string): string {
  return text.replace(ANSI_ESCAPE, (_, hex, four, eight, octal?: string, letter?: string) => {
    if (letter !== undefined) return escapes[letter] ?? (/[\\'"?]/.test(letter) ? letter : `\\${letter}`)
    const code = Number.parseInt(hex ?? four ?? eight ?? octal, octal === undefined ? 16 : 8)
    if (code > 0x10ffff) throw new CurlImportError('The command contains an escape that is not a character.')
    return String.fromCodePoint(code)
  })
}
