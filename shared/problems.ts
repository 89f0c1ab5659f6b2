import { CofferError, type FieldErrors } from './errors.ts'

// A hostile body must not buy an answer larger than itself.
const mostPaths = 50

/**
 * Gathers every problem of one body, so that a caller learns of all of them at once (rule A-05).
 * SECURITY: messages say what is expected, never what was sent.
 */
export class Problems {
  readonly #found = new Map<string, string[]>()

  /** Adds a problem; the same one counts once: `add('data.cvc', 'must be three or four digits')`. */
  add(path: string, message: string): void {
    const messages = this.#found.get(path)
    if (messages?.includes(message)) return
    if (messages) messages.push(message)
    else if (this.#found.size < mostPaths) this.#found.set(path, [message])
  }

  /**
   * Runs a check that throws: collects the problems it reports, under the path of what was checked, and rethrows any
   * other error.
   */
  attempt<T>(check: () => T, under = ''): T | undefined {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof CofferError) || error.code !== 'invalid' || !error.errors) throw error
      for (const [path, messages] of Object.entries(error.errors)) {
        for (const message of messages) this.add(pathUnder(under, path), message)
      }
      return undefined
    }
  }

  /** Throws one `invalid` error that lists everything found; does nothing if there is nothing. */
  throwIfAny(): void {
    if (this.#found.size > 0) throw this.#error()
  }

  /** The last check: gives what it gives, or throws one error that lists what it reports and what was found before. */
  conclude<T>(check: () => T): T {
    if (this.#found.size === 0) return check()
    this.attempt(check)
    throw this.#error()
  }

  #error(): CofferError {
    const errors: FieldErrors = Object.fromEntries(this.#found)
    const detail = [...this.#found].map(([path, messages]) => `${path} ${messages.join(', ')}`.trim())
    return new CofferError('invalid', detail.join('; '), { errors })
  }
}

function pathUnder(parent: string, path: string): string {
  if (parent === '') return path
  if (path === 'body') return parent
  return path.startsWith('[') ? parent + path : `${parent}.${path}`
}

/**
 * The path of a member whose name the caller chose: `memberPath('data', 'colour')` is `data.colour`.
 * SECURITY: a name that might itself be data (digits, odd characters, long) is not repeated.
 */
export function memberPath(parent: string, name: string): string {
  const isPlain = /^[A-Za-z_][\w.-]{0,39}$/.test(name) && name.replace(/\D/g, '').length < 4
  return isPlain ? `${parent}.${name}` : parent
}

/** A member's name as an error may show it: a caller's number pasted as a name is data, and stays out (rule A-05). */
export function safeName(name: string): string {
  const digits = name.normalize('NFKC').match(/\p{Nd}/gu) ?? []
  // Whatever stands between them: `4242-4242-4242-4242` is a number too.
  // Where half a character is cut off or came, an answer would not be JSON that every client reads.
  const short = name.slice(0, 64).toWellFormed()
  return digits.length < 5 ? short : short.replace(/[^A-Za-z_]+/g, '…')
}
