import fs from 'node:fs'
import tty from 'node:tty'
import { counted } from '../../../shared/counted.ts'
import { isoTime } from '../../../shared/time.ts'
import { systemReason } from '../../engine/db/system-reason.ts'
import type { Answered } from '../../http/answered.ts'
import { note } from './common.ts'

export const logFormats = ['pretty', 'json', 'off'] as const
export type LogFormat = (typeof logFormats)[number]

/** Lines that wait while nobody reads the output; about a thousand requests. */
const MOST_WAITING = 256 * 1024
const RETRY_MS = 50
/** How long the end waits for a reader. */
const LAST_LINES_MS = 500

/**
 * Prints one line for each request. The output may stop being read: lines beyond a bound are then dropped and counted,
 * and no call waits. It is written beside `process.stdout`, which blocks the whole process at a stopped terminal.
 */
export class RequestLog {
  readonly #format: Exclude<LogFormat, 'off'>
  readonly #descriptor: number
  #waiting: string[] = []
  #bytes = 0
  #dropped = 0
  #isWriting = false
  #isBroken = false
  #onIdle: (() => void) | null = null

  constructor(format: Exclude<LogFormat, 'off'>, output: 'stdout' | 'stderr') {
    this.#format = format
    this.#descriptor = descriptorOf(output)
  }

  readonly add = (answered: Answered): void => {
    if (this.#isBroken) return
    const line = lineOf(answered, this.#format)
    if (this.#bytes + line.length > MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#waiting.push(line)
    this.#bytes += line.length
    if (this.#isWriting) return
    this.#isWriting = true
    // Requests that are answered in one turn share one write.
    setImmediate(() => this.#writeWaiting())
  }

  /** Waits until everything is written, for half a second at most. */
  async end(): Promise<void> {
    if (!this.#isWriting) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LAST_LINES_MS)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #writeWaiting(): void {
    if (this.#dropped > 0) this.#waiting.push(droppedLine(this.#dropped, this.#format))
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#bytes = 0
    this.#dropped = 0
    if (text === '') {
      this.#isWriting = false
      this.#onIdle?.()
    } else this.#write(Buffer.from(text))
  }

  #write(bytes: Buffer): void {
    fs.write(this.#descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#write(bytes), RETRY_MS).unref()
      else if (error) this.#break(error)
      else if (written < bytes.length) this.#write(bytes.subarray(written))
      else this.#writeWaiting()
    })
  }

  /** The vault goes on answering: a log is not worth more than what it is about. */
  #break(error: NodeJS.ErrnoException): void {
    this.#isBroken = true
    this.#isWriting = false
    this.#waiting = []
    this.#onIdle?.()
    note(
      `coffer: Requests are no longer shown, because the output cannot be written: ${systemReason(error)}.`,
    )
  }
}

/** A descriptor on which a write does not block. */
function descriptorOf(output: 'stdout' | 'stderr'): number {
  // The stream itself makes a pipe non-blocking when it is first used.
  const { fd } = process[output]
  if (!tty.isatty(fd) || process.platform !== 'linux') return fd
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants
  try {
    // A terminal of its own: the flag would otherwise apply to every program that shares this one.
    return fs.openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    return fd
  }
}

function lineOf(answered: Answered, format: 'pretty' | 'json'): string {
  const { at, method, path, status, cut, duration_ms, key, trace_id } = answered
  if (format === 'json') {
    const line = { time: isoTime(at), method, path, status, ...(cut && { cut }), duration_ms, key, trace_id }
    return `${JSON.stringify(line)}\n`
  }
  const [time] = new Date(at).toTimeString().split(' ', 1)
  const how = `${status ?? '---'}${cut ? ' cut off' : ''}`
  return `${time}  ${method.padEnd(6)} ${path}  ${how}  ${duration_ms} ms  ${key ?? 'no key'}  ${trace_id}\n`
}

function droppedLine(dropped: number, format: 'pretty' | 'json'): string {
  if (format === 'json') return `${JSON.stringify({ dropped })}\n`
  return `${counted(dropped, 'request')} not shown, because the output was not read in time.\n`
}
