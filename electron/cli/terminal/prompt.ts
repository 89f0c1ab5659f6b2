import readline from 'node:readline'
import { Writable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import { exitCodeOf } from './interrupted.ts'

const CTRL_C = '\u0003'

/** Whether somebody can be asked. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

let waited = 0

/** How long this process has waited for answers, in milliseconds. */
export function askedMs(): number {
  return waited
}

/** Takes what readline would echo. */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * Asks on the terminal without showing what is typed. Ctrl-C, and Ctrl-D where nothing is typed, end the program with
 * exit code 130. Throws `unavailable` when the terminal goes away.
 */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  const asked = performance.now()
  // Turns the echo off, so it comes before the question.
  const lines = readline.createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
  stderr.write(question)
  try {
    return await answerTo(lines)
  } finally {
    waited += performance.now() - asked
    stderr.write('\n')
  }
}

/** The next line. What was pasted after it is put back, for the next question. */
async function answerTo(lines: readline.Interface): Promise<string> {
  const { stdin } = process
  let ahead = ''
  const later = (line: string) => {
    ahead += `${line}\r`
  }
  let closed = () => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      closed = () => {
        if (!stdin.readableEnded) interrupt()
        reject(new CofferError('unavailable', 'The terminal is gone. Nothing was done.'))
      }
      lines.on('close', closed).once('line', (line) => {
        // A terminal that goes away hands over what was typed so far.
        if (stdin.readableEnded) return
        lines.on('line', later)
        resolve(line)
      })
    })
  } finally {
    ahead += lines.line
    lines.off('close', closed).close()
    if (ahead !== '' && !stdin.readableEnded) stdin.unshift(Buffer.from(ahead))
  }
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
  lines.setPrompt(question)
  lines.prompt()
  return (await answerTo(lines)).trim()
}

/** Calls whenever somebody presses Enter on the terminal. */
export function onEnter(pressed: () => void): void {
  process.stdin.on('data', pressed)
  process.stdin.resume()
}
