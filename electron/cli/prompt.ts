import readline from 'node:readline/promises'
import { CofferError } from '../../shared/errors.ts'

const ENTER = new Set(['\r', '\n', '\u0004'])
const ERASE = new Set(['\u007f', '\b'])

/** Whether somebody can be asked. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

let waited = 0

/** How long this process has waited for answers, in milliseconds. */
export function askedMs(): number {
  return waited
}

/** Asks on the terminal without showing what is typed. Ctrl-C ends the program with exit code 130. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  // First, so that nothing typed at once is shown.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  stdin.resume()
  const asked = performance.now()
  try {
    return await new Promise<string>((resolve) => {
      let typed = ''
      const onData = (chunk: string) => {
        const characters = [...chunk]
        for (const [at, character] of characters.entries()) {
          if (ENTER.has(character)) {
            stdin.off('data', onData)
            // What was pasted behind it answers the next question.
            stdin.pause().unshift(characters.slice(at + 1).join(''))
            resolve(typed)
            return
          }
          if (character === '\u0003') process.exit(130)
          typed = ERASE.has(character) ? [...typed].slice(0, -1).join('') : typed + character
        }
      }
      stdin.on('data', onData)
    })
  } finally {
    waited += performance.now() - asked
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

/** Asks for a new passphrase twice; throws `invalid` when the two differ. */
export async function askNewPassphrase(
  question = 'Passphrase for the new vault, at least 8 characters: ',
): Promise<string> {
  const first = await askSecret(question)
  const second = await askSecret('The same again: ')
  if (first === second) return first
  throw new CofferError('invalid', 'The two passphrases differ. Start again.')
}

/** Asks on the terminal for a line that may be seen. */
export async function askLine(question: string): Promise<string> {
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await lines.question(question)).trim()
  } finally {
    lines.close()
  }
}

/** Calls whenever somebody presses Enter on the terminal. */
export function onEnter(pressed: () => void): void {
  process.stdin.on('data', pressed)
  process.stdin.resume()
}
