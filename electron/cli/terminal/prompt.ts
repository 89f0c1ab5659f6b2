import readline from 'node:readline'
import { Writable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import { toExitCode } from './interrupted.ts'

const CTRL_C = '\u0003'

/** Whether there is a terminal to prompt on. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

let waitedMs = 0

/** How long this process has waited at prompts, in milliseconds. */
export function getPromptMs(): number {
  return waitedMs
}

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * Prompts without echoing the input. Ctrl-C, and Ctrl-D on an empty line, exit with code 130. Throws `unavailable`
 * when the terminal goes away.
 */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  const askedAt = performance.now()
  // This turns the echo off, so it must come before the question.
  const lines = readline.createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
  stderr.write(question)
  try {
    return await readAnswer(lines)
  } finally {
    waitedMs += performance.now() - askedAt
    stderr.write('\n')
  }
}

/** Reads one line. Anything pasted after it is pushed back for the next prompt. */
async function readAnswer(lines: readline.Interface): Promise<string> {
  const { stdin } = process
  let typedAhead = ''
  const collectAhead = (line: string) => {
    typedAhead += `${line}\r`
  }
  let onClose = () => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      onClose = () => {
        if (!stdin.readableEnded) exitInterrupted()
        reject(new CofferError('unavailable', 'The terminal was closed. Nothing was done.'))
      }
      lines.on('close', onClose).once('line', (line) => {
        // A terminal that is closed delivers the text typed so far: ignore it.
        if (stdin.readableEnded) return
        lines.on('line', collectAhead)
        resolve(line)
      })
    })
  } finally {
    typedAhead += lines.line
    lines.off('close', onClose).close()
    if (typedAhead !== '' && !stdin.readableEnded) stdin.unshift(Buffer.from(typedAhead))
  }
}

function exitInterrupted(): never {
  process.stderr.write('\n')
  process.exit(toExitCode('SIGINT'))
}

/**
 * Prompts for a new passphrase twice, until `findProblem` accepts it and both entries match. Input typed ahead can
 * answer the second prompt, but is discarded before another attempt.
 */
export async function askNewPassphrase(
  question: string,
  findProblem: (passphrase: string) => Promise<string | undefined>,
): Promise<string> {
  for (;;) {
    const first = await askSecret(question)
    const problem = await findProblem(first)
    if (problem === undefined && (await askSecret('Type it again: ')) === first) return first
    process.stderr.write(`${problem ?? 'The two do not match.'} Try again.\n`)
    await withoutInput(nextTurns)
  }
}

/**
 * Runs work while typed input is neither echoed nor stored. Without this, a passphrase typed ahead of the next prompt
 * would land in the shell and its history. Ctrl-C exits.
 */
export async function withoutInput<T>(work: () => Promise<T>): Promise<T> {
  const { stdin } = process
  const discardInput = (chunk: string | Buffer) => {
    if (chunk.toString().includes(CTRL_C)) exitInterrupted()
  }
  stdin.setRawMode(true)
  stdin.on('data', discardInput).resume()
  try {
    return await work()
  } finally {
    await nextTurns()
    stdin.off('data', discardInput)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** Waits until everything typed so far has been read: each turn of the event loop polls before `setImmediate`. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Prompts for a line with echo. Ctrl-C and Ctrl-D exit with code 130. */
export async function askLine(question: string): Promise<string> {
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  lines.setPrompt(question)
  lines.prompt()
  return (await readAnswer(lines)).trim()
}

/** Calls a function on each Enter in the terminal. */
export function onEnter(handleEnter: () => void): void {
  process.stdin.on('data', handleEnter)
  process.stdin.resume()
}
