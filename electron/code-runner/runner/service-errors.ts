import { classes } from './thrown.ts'

// The package @basis-theory/basis-theory-reactor-formulas-sdk-js, written anew, because no registry has it (rule F-04).

type ErrorFields = Readonly<Record<string, readonly unknown[]>>

const FALLBACK = 'Something went wrong. Please try again.'

class BasisTheoryReactorError extends Error {
  readonly status: number
  readonly errors: ErrorFields

  constructor({ message, status, errors }: { message: string; status: number; errors: ErrorFields }) {
    super(message)
    this.name = new.target.name
    this.status = status
    this.errors = errors
  }

  toRFC7807() {
    const { message: detail, status, errors } = this
    return { detail, status, errors }
  }
}

class CustomHttpResponseError extends BasisTheoryReactorError {
  // Without it, the bundle would have a shorter name.
  static override readonly name = 'CustomHttpResponseError'
  readonly headers: object
  readonly body: unknown

  constructor({ status, headers, body }: { status?: unknown; headers?: object; body?: unknown } = {}) {
    if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 599)
      throw new Error('status is not a valid integer')
    super({ message: 'Custom Http Response', status: Number(status), errors: {} })
    this.headers = headers ?? {}
    this.body = body ?? {}
  }

  toResponseBody() {
    const { status, headers, body } = this
    return { status, headers, body }
  }
}

/** The exports of the package: an error class for each status, and the older name of the class for any response. */
export const serviceErrors: Readonly<Record<string, new (argument?: never) => Error>> = {
  ...Object.fromEntries(
    Object.entries(classes).map(([name, [status, message]]) => [name, createClass(name, status, message)]),
  ),
  CustomHttpResponseError,
  CustomHttpResponse: CustomHttpResponseError,
}

function createClass(name: string, status: number, message: string) {
  // The computed name survives minification.
  const { [name]: made } = {
    [name]: class extends BasisTheoryReactorError {
      constructor(argument?: unknown) {
        super({ message, status, errors: toErrorFields(argument) })
      }
    },
  }
  return made
}

function toErrorFields(argument: unknown): ErrorFields {
  if (Array.isArray(argument)) return { error: argument }
  if (argument instanceof Error) return { error: [argument.message] }
  if (typeof argument !== 'object' || argument === null)
    return { error: [argument ? String(argument) : FALLBACK] }
  return Object.fromEntries(Object.entries(argument).map(([name, value]) => [name, toMessages(value)]))
}

function toMessages(value: unknown): string[] {
  return Array.isArray(value) ? value.map(toText) : [value ? toText(value) : FALLBACK]
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
