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
    if (this.#found.size === 0) return
    const errors: FieldErrors = Object.fromEntries(this.#found)
    const detail = [...this.#found].map(([path, messages]) => `${path} ${messages.join(', ')}`.trim())
    throw new CofferError('invalid', detail.join('; '), { errors })
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
