import { CofferError, type FieldErrors } from './errors.ts'
import { redactKeys } from './key-hint.ts'

/** The maximum number of members in one error: no body may cause a response larger than itself (case X-48). */
export const MAX_ERROR_PATHS = 50

/**
 * Collects every problem of a body, so that one error lists them all (rule A-05). SECURITY: messages say what is
 * expected, never what was sent.
 */
export class Problems {
  /** Created with the first problem, because most bodies have none. */
  #messages: Map<string, string[]> | undefined

  /** Adds a problem, unless it is already listed: `add('data.cvc', 'must be three or four digits')`. */
  add(path: string, message: string): void {
    this.#messages ??= new Map()
    const messages = this.#messages.get(path)
    if (messages?.includes(message)) return
    if (messages) messages.push(message)
    else if (this.#messages.size < MAX_ERROR_PATHS) this.#messages.set(path, [message])
  }

  /**
   * Runs a check and returns its result. Collects the problems of an `invalid` error, with paths relative to `under`,
   * and rethrows any other error.
   */
  attemptCheck<T>(check: () => T, under = ''): T | undefined {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof CofferError) || error.code !== 'invalid' || !error.errors) throw error
      for (const [path, messages] of Object.entries(error.errors)) {
        for (const message of messages) this.add(joinPaths(under, path), message)
      }
      return undefined
    }
  }

  /** Throws one `invalid` error that lists all problems, if there are any. */
  throwIfAny(): void {
    if (this.#messages) throw this.#toError()
  }

  /** Runs the last check and returns its result, or throws one `invalid` error with its problems and earlier ones. */
  concludeWith<T>(check: () => T): T {
    if (!this.#messages) return check()
    this.attemptCheck(check)
    throw this.#toError()
  }

  /** Throws one `invalid` error that lists all problems. There must be one. */
  throwAll(): never {
    throw this.#toError()
  }

  #toError(): CofferError {
    const messages = [...(this.#messages ?? [])]
    const errors: FieldErrors = Object.fromEntries(messages)
    const detail = messages.map(([path, messages]) => `${path} ${messages.join(', ')}`.trim())
    return new CofferError('invalid', detail.join('; '), { errors })
  }
}

/** Joins the path of a part of a request and a path in that part: `joinPaths('data', '[0].name')`. */
export function joinPaths(parent: string, path: string): string {
  if (parent === '') return path
  if (path === 'body') return parent
  return path.startsWith('[') ? parent + path : `${parent}.${path}`
}

/**
 * Returns the path of a member whose name the caller chose: `toMemberPath('data', 'colour')` is `data.colour`.
 * SECURITY: a name that might itself be data is left out: one that is long, or has several digits or unusual
 * characters.
 */
export function toMemberPath(parent: string, name: string): string {
  const isPlain = /^[A-Za-z_][\w.-]{0,39}$/.test(name) && name.replace(/\D/g, '').length < 4
  return isPlain ? `${parent}.${name}` : parent
}

/** Returns a member's name in a form that an error may contain: without digits that may be data (rule A-05). */
export function sanitizeName(name: string): string {
  const digits = name.normalize('NFKC').match(/\p{Nd}/gu) ?? []
  // Separators do not matter: `4242-4242-4242-4242` is a number too. A lone surrogate, from the caller or from
  // truncation, would make JSON that some clients cannot read.
  const short = redactKeys(name).slice(0, 64).toWellFormed()
  return digits.length < 5 ? short : short.replace(/[^A-Za-z_]+/g, '…')
}
