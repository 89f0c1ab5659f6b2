import fs from 'node:fs'
import tty from 'node:tty'
import { formatCount } from '../../../shared/format-count.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { describeSystemError } from '../../engine/index.ts'
import type { RequestSummary } from '../../http/response-observer.ts'
import { colorText, getStatusColor } from './table.ts'
import { printHint } from './vault-options.ts'

export const logFormats = ['pretty', 'json', 'off'] as const
export type LogFormat = (typeof logFormats)[number]

/** The maximum length of pending lines, in characters, while the output is not read: about a thousand requests. */
const MAX_PENDING_LENGTH = 256 * 1024
const RETRY_DELAY_MS = 50
const FLUSH_TIMEOUT_MS = 500

/**
 * Prints one line for each request. If the output is not read, lines beyond a limit are dropped and counted, so
 * that no call waits. It bypasses `process.stdout`, which blocks the whole process at a stopped terminal.
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
    this.#descriptor = openDescriptor(output)
  }

  readonly add = (request: RequestSummary): void => {
    if (this.#isBroken) return
    const line = formatRequest(request, this.#format)
    if (this.#bytes + line.length > MAX_PENDING_LENGTH) {
      this.#dropped++
      return
    }
    this.#waiting.push(line)
    this.#bytes += line.length
    if (this.#isWriting) return
    this.#isWriting = true
    // Requests that end in the same turn of the event loop share one write.
    setImmediate(() => this.#writeWaiting())
  }

  /** Waits until everything is written, for half a second at most. */
  async flush(): Promise<void> {
    if (!this.#isWriting) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #writeWaiting(): void {
    if (this.#dropped > 0) this.#waiting.push(formatDropped(this.#dropped, this.#format))
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#bytes = 0
    this.#dropped = 0
    if (text === '') {
      this.#isWriting = false
      this.#onIdle?.()
    } else this.#writeBytes(Buffer.from(text))
  }

  #writeBytes(bytes: Buffer): void {
    fs.write(this.#descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeBytes(bytes), RETRY_DELAY_MS).unref()
      else if (error) this.#stopWriting(error)
      else if (written < bytes.length) this.#writeBytes(bytes.subarray(written))
      else this.#writeWaiting()
    })
  }

  /** Stops printing requests. The vault continues to serve them, because it does not depend on this output. */
  #stopWriting(error: NodeJS.ErrnoException): void {
    this.#isBroken = true
    this.#isWriting = false
    this.#waiting = []
    this.#onIdle?.()
    printHint(
      `coffer: Requests are no longer shown, because the output cannot be written: ${describeSystemError(error)}.`,
    )
  }
}

/** Opens a descriptor on which a write does not block. */
function openDescriptor(output: 'stdout' | 'stderr'): number {
  // The stream itself makes a pipe non-blocking when it is first used.
  const { fd } = process[output]
  if (!tty.isatty(fd) || process.platform !== 'linux') return fd
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants
  try {
    // Opened again, because `O_NONBLOCK` would otherwise apply to every program that shares this terminal.
    return fs.openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    return fd
  }
}

function formatRequest(request: RequestSummary, format: 'pretty' | 'json'): string {
  const { at, method, path, status, cut, duration_ms, key, trace_id } = request
  if (format === 'json') {
    const line = {
      time: formatIsoTime(at),
      method,
      path,
      status,
      ...(cut && { cut }),
      duration_ms,
      key,
      trace_id,
    }
    return `${JSON.stringify(line)}\n`
  }
  const [time] = new Date(at).toTimeString().split(' ', 1)
  const plain = String(status ?? '---')
  const how = `${colorText(plain, getStatusColor(plain))}${cut ? ' cut off' : ''}`
  return `${time}  ${method.padEnd(6)} ${path}  ${how}  ${duration_ms} ms  ${key ?? 'no key'}  ${trace_id}\n`
}

function formatDropped(dropped: number, format: 'pretty' | 'json'): string {
  if (format === 'json') return `${JSON.stringify({ dropped })}\n`
  return `${formatCount(dropped, 'request')} not shown, because the output was not read in time.\n`
}
