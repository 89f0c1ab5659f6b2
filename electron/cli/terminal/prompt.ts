import readline from 'node:readline/promises'
import { CofferError } from '../../../shared/errors.ts'
import { exitCodeOf } from './interrupted.ts'

const ENTER = new Set(['\r', '\n'])
const ERASE = new Set(['\u007f', '\b'])
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const CTRL_U = '\u0015'
const CTRL_W = '\u0017'

/** Whether somebody can be asked. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

let waited = 0

/** How long this process has waited for answers, in milliseconds. */
export function askedMs(): number {
  return waited
}

/**
 * Asks on the terminal without showing what is typed. Backspace, Ctrl-U and Ctrl-W erase; Ctrl-C, and Ctrl-D where
 * nothing is typed, end the program with exit code 130. Throws `unavailable` where the terminal goes away.
 */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  // First, so that nothing typed at once is shown.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  const asked = performance.now()
  let listen: ((chunk: string) => void) | undefined
  let gone: (() => void) | undefined
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = []
      gone = () => reject(new CofferError('unavailable', 'The terminal is gone. Nothing was done.'))
      listen = (chunk) => {
        const characters = [...chunk]
        for (const [at, character] of characters.entries()) {
          if (ENTER.has(character)) {
            // What was pasted behind it answers the next question.
            stdin.pause().unshift(characters.slice(at + 1).join(''))
            resolve(typed.join(''))
            return
          }
          if (character === CTRL_C || (character === CTRL_D && typed.length === 0)) interrupt()
          typed = withKey(typed, character)
        }
      }
      stdin.on('data', listen).on('end', gone).resume()
    })
  } finally {
    waited += performance.now() - asked
    if (listen) stdin.off('data', listen)
    if (gone) stdin.off('end', gone)
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

function withKey(typed: string[], character: string): string[] {
  if (ERASE.has(character)) return typed.slice(0, -1)
  if (character === CTRL_U) return []
  if (character === CTRL_W) return [...typed.join('').replace(/\S*\s*$/, '')]
  return character === CTRL_D ? typed : [...typed, character]
}

function interrupt(): never {
  process.stderr.write('\n')
  process.exit(exitCodeOf('SIGINT'))
}

/**
 * Asks for a new passphrase twice, and again where `problemOf` names something or the two differ. What was typed ahead
 * answers the second question alone.
 */
export async function askNewPassphrase(
  question: string,
  problemOf: (passphrase: string) => string | undefined,
): Promise<string> {
  for (;;) {
    const first = await askSecret(question)
    const problem = problemOf(first)
    if (problem === undefined && (await askSecret('The same again: ')) === first) return first
    process.stderr.write(`${problem ?? 'That was not the same.'} Try again.\n`)
    await withoutInput(nextTurns)
  }
}

/**
 * Runs something while what is typed is neither shown nor kept: a second try that is typed before it is asked for would
 * land in the shell, and in its history. Ctrl-C ends the program.
 */
export async function withoutInput<T>(act: () => Promise<T>): Promise<T> {
  const { stdin } = process
  const discard = (chunk: string | Buffer) => {
    if (chunk.toString().includes(CTRL_C)) interrupt()
  }
  stdin.setRawMode(true)
  stdin.on('data', discard).resume()
  try {
    return await act()
  } finally {
    await nextTurns()
    stdin.off('data', discard)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** Long enough to read what the terminal holds by now: reading comes before the end of each turn. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Asks on the terminal for a line that may be seen. Ctrl-C and Ctrl-D end the program with exit code 130. */
export async function askLine(question: string): Promise<string> {
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  lines.on('close', interrupt)
  try {
    return (await lines.question(question)).trim()
  } finally {
    lines.off('close', interrupt).close()
  }
}

/** Calls whenever somebody presses Enter on the terminal. */
export function onEnter(pressed: () => void): void {
  process.stdin.on('data', pressed)
  process.stdin.resume()
}
