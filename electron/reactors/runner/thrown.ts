import type { Ended, Errors, Place } from '../run.ts'

type Thrown = Extract<Ended, { kind: 'thrown' }>

/** The most members, and texts of a member, that the errors of an answer have. */
const MEMBERS = 100
const TEXT_LENGTH = 4096

/** The error classes of the service, by name: code may bring its own copy of them (rule F-04). */
const classes: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  BadRequestError: [400, 'Bad Request'],
  AuthenticationError: [401, 'Authentication Failed'],
  InvalidPaymentMethodError: [402, 'Invalid Payment Method'],
  AuthorizationError: [403, 'Forbidden'],
  RateLimitError: [429, 'Rate Limit Exceeded'],
  ReactorRuntimeError: [500, 'Reactor Runtime Error'],
  ServiceUnavailableError: [503, 'Service Unavailable'],
  InvalidReactorConfigurationError: [400, 'Invalid Reactor Configuration'],
  InvalidReactorFormulaError: [422, 'Invalid Reactor Formula'],
}

/** The file name of the code in stack traces. */
export const FILE = 'reactor.js'

/** How a run ends that threw a value, of whatever kind (rule F-04). Never throws. */
export function endedByThrowing(thrown: unknown): Ended {
  try {
    return explained(thrown)
  } catch {
    // A getter or a proxy of the value threw.
    return runtimeError('The code threw a value that cannot be read.')
  }
}

/** An error of the code itself, such as an answer that is too long. */
export function runtimeError(message: string): Ended {
  return named('ReactorRuntimeError', { error: [message] }, null)
}

/** Code that is no reactor (rules F-01, F-04), for which `thrown` says where. */
export function formulaError(message: string, at: Place | null): Thrown {
  const error = `Reactor code is not a valid function: ${message}`
  return named('InvalidReactorFormulaError', { error: [error] }, at)
}

/** Code that cannot be compiled. What nests too deeply ends the compiler, which then names no place. */
export function uncompiled(error: unknown): Ended {
  const place = placeOf(error)
  const at = place ?? { line: 1, column: 1 }
  const why = place ? textOf(error) : 'The code nests too deeply.'
  return { ...formulaError(`line ${at.line}, column ${at.column}: ${why}`, at), uncompiled: why }
}

function explained(thrown: unknown): Ended {
  const at = placeOf(thrown)
  if (!isObject(thrown)) return named('ReactorRuntimeError', { error: [textOf(thrown)] }, at)
  const name = String(thrown.name)
  if (name === 'CustomHttpResponseError') {
    const response = responseOf(thrown)
    if (response) return response
    return runtimeError('A CustomHttpResponseError needs a status, an integer from 200 to 599.')
  }
  const errors = errorsOf(thrown.errors) ?? { error: [textOf(thrown)] }
  if (Object.hasOwn(classes, name)) return named(name, errors, at)
  // A class of the code's own that extends the service's.
  const { status } = thrown
  if (typeof thrown.toRFC7807 === 'function' && isStatus(status, 400)) {
    return { kind: 'thrown', status, detail: textOf(thrown), errors, at }
  }
  return named('ReactorRuntimeError', { error: [textOf(thrown)] }, at)
}

function named(name: string, errors: Errors, at: Place | null): Thrown {
  const [status, detail] = classes[name] ?? [500, 'Reactor Runtime Error']
  return { kind: 'thrown', status, detail, errors, at }
}

function responseOf(thrown: Record<string, unknown>): Ended | null {
  const given = isStatus(thrown.status, 200) || !isObject(thrown.response) ? thrown : thrown.response
  const { status, headers, body } = given
  if (!isStatus(status, 200)) return null
  const pairs = isObject(headers) ? Object.entries(headers) : []
  return {
    kind: 'response',
    status,
    headers: Object.fromEntries(pairs.slice(0, MEMBERS).map(([name, value]) => [name, cut(String(value))])),
    body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
  }
}

/** As the constructor of the service's classes turns its argument into `errors`; null for nothing. */
function errorsOf(given: unknown): Errors | null {
  if (given === undefined || given === null) return null
  if (Array.isArray(given)) return { error: given.slice(0, MEMBERS).map(textOf) }
  if (!isObject(given) || given instanceof Error) return { error: [textOf(given)] }
  const members = Object.entries(given).slice(0, MEMBERS)
  return Object.fromEntries(
    members.map(([name, value]) => [
      cut(name),
      (Array.isArray(value) ? value.slice(0, MEMBERS) : [value]).map(textOf),
    ]),
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return cut(value)
  if (!isObject(value)) return cut(String(value))
  if (typeof value.message === 'string') return cut(value.message)
  return cut(JSON.stringify(value) ?? String(value))
}

/** Where in the code an error was thrown, as its stack says. */
function placeOf(thrown: unknown): Place | null {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return null
  const stack = thrown.stack.slice(0, TEXT_LENGTH * 4)
  // A syntax error names the line first, and marks the column below it.
  const [, at, marker] = /^reactor\.js:(\d+)\n.*\n( *)\^/.exec(stack) ?? []
  if (at !== undefined) return { line: Number(at), column: (marker ?? '').length + 1 }
  const [, line, column] = /^ {4}at .*?reactor\.js:(\d+):(\d+)\)?$/m.exec(stack) ?? []
  return line === undefined ? null : { line: Number(line), column: Number(column) }
}

function isStatus(value: unknown, least: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= 599
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function cut(text: string): string {
  return text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH)}…` : text
}
