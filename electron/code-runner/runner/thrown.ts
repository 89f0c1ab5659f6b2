import type { RuntimeImage } from '../../../shared/runtime-images.ts'
import type { RunOutcome, SourceLocation, ThrownErrors } from '../run.ts'

type ThrownOutcome = Extract<RunOutcome, { kind: 'thrown' }>

/** The maximum number of fields in the errors of a response, and of messages per field. */
const MAX_MEMBERS = 100
const MAX_TEXT_LENGTH = 4096

/** The service's error classes, by name, because code may bring its own copy of them (rule F-04). */
export const classes: Readonly<Record<string, readonly [status: number, detail: string]>> = {
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

/** Returns the outcome of a run whose code threw any value (rules F-03, F-04). Never throws. */
export function toThrownOutcome(image: RuntimeImage, thrown: unknown): RunOutcome {
  try {
    return image === 'node22' ? toGatewayFailure(thrown) : explainThrown(thrown)
  } catch {
    // A getter or a Proxy of the thrown value threw.
    const message = 'The code threw a value that cannot be read.'
    return image === 'node22' ? createResultError(image, message) : createRuntimeError(message)
  }
}

/** An error of the run itself, such as a result that is too long. */
export function createRuntimeError(message: string): RunOutcome {
  return createThrown('ReactorRuntimeError', { error: [message] }, null)
}

/** The outcome for a result that the runtime does not accept (rule F-03). */
export function createResultError(image: RuntimeImage, message: string): RunOutcome {
  const errors = { error: [message] }
  return image === 'node22'
    ? { ...createThrown('ReactorRuntimeError', errors, null), status: 502 }
    : createThrown('InvalidReactorFormulaError', errors, null)
}

/** The outcome for code that is not a valid reactor (rules F-01, F-04); `at` is the position of the error, if known. */
export function createFormulaError(message: string, at: SourceLocation | null): ThrownOutcome {
  const error = `Reactor code is not a valid function: ${message}`
  return createThrown('InvalidReactorFormulaError', { error: [error] }, at)
}

/** The outcome for code that does not compile. Code that nests too deeply fails without a position. */
export function toCompileFailure(error: unknown): RunOutcome {
  const location = findSourceLocation(error)
  const at = location ?? { line: 1, column: 1 }
  const reason = location ? formatThrown(error) : 'The code nests too deeply.'
  return { ...createFormulaError(`line ${at.line}, column ${at.column}: ${reason}`, at), uncompiled: reason }
}

function explainThrown(thrown: unknown): RunOutcome {
  const at = findSourceLocation(thrown)
  if (!isObject(thrown)) return createThrown('ReactorRuntimeError', { error: [formatThrown(thrown)] }, at)
  const name = String(thrown.name)
  if (name === 'CustomHttpResponseError' || name === 'CustomHttpResponse') {
    const { status, headers, body } =
      isStatus(thrown.status, 200) || !isObject(thrown.response) ? thrown : thrown.response
    const response = createResponse(status, headers, body)
    if (response) return response
    return createRuntimeError('A CustomHttpResponseError needs a status, an integer from 200 to 599.')
  }
  const errors = toFieldErrors(thrown.errors) ?? { error: [formatThrown(thrown)] }
  if (Object.hasOwn(classes, name)) return createThrown(name, errors, at)
  // The code's own subclass of a service error.
  const { status } = thrown
  if (typeof thrown.toRFC7807 === 'function' && isStatus(status, 400)) {
    return { kind: 'thrown', status, detail: formatThrown(thrown), errors, at }
  }
  return createThrown('ReactorRuntimeError', { error: [formatThrown(thrown)] }, at)
}

/** In node22, only `res` sets the response, so every thrown value is a failure of the code. */
function toGatewayFailure(thrown: unknown): RunOutcome {
  const name = isObject(thrown) ? String(thrown.name) : ''
  const hint = `In node22, a ${name} does not set the response. Return { res: { body, headers, statusCode } }.`
  const isOfOther =
    name.startsWith('CustomHttpResponse') || (name !== 'ReactorRuntimeError' && Object.hasOwn(classes, name))
  const errors = { error: [formatThrown(thrown), ...(isOfOther ? [hint] : [])] }
  return { ...createThrown('ReactorRuntimeError', errors, findSourceLocation(thrown)), status: 502 }
}

function createThrown(name: string, errors: ThrownErrors, at: SourceLocation | null): ThrownOutcome {
  const [status, detail] = classes[name] ?? [500, 'Reactor Runtime Error']
  return { kind: 'thrown', status, detail, errors, at }
}

/** The outcome for code that sets the response itself; null if the status is not valid. */
export function createResponse(
  status: unknown,
  headers: unknown,
  body: unknown,
): Extract<RunOutcome, { kind: 'response' }> | null {
  if (!isStatus(status, 200)) return null
  const pairs = isObject(headers) ? Object.entries(headers) : []
  return {
    kind: 'response',
    status,
    headers: Object.fromEntries(
      pairs.slice(0, MAX_MEMBERS).map(([name, value]) => [name, truncateText(String(value))]),
    ),
    body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
  }
}

/** Converts the argument of an error class to `errors`, as the service's constructors do; null for none. */
function toFieldErrors(value: unknown): ThrownErrors | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return { error: value.slice(0, MAX_MEMBERS).map(formatThrown) }
  if (!isObject(value) || value instanceof Error) return { error: [formatThrown(value)] }
  const members = Object.entries(value).slice(0, MAX_MEMBERS)
  return Object.fromEntries(
    members.map(([name, value]) => [
      truncateText(name),
      (Array.isArray(value) ? value.slice(0, MAX_MEMBERS) : [value]).map(formatThrown),
    ]),
  )
}

function formatThrown(value: unknown): string {
  if (typeof value === 'string') return truncateText(value)
  if (!isObject(value)) return truncateText(String(value))
  if (typeof value.message === 'string') return truncateText(value.message)
  return truncateText(JSON.stringify(value) ?? String(value))
}

function findSourceLocation(thrown: unknown): SourceLocation | null {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return null
  const { stack } = thrown
  // The stack of a syntax error starts with the line. White space below it reaches to the column.
  const [, at, indent = ''] = /^reactor\.js:(\d+)\n.*\n([ \t]*)/.exec(stack) ?? []
  if (at !== undefined) return { line: Number(at), column: indent.length + 1 }
  const [, line, column] =
    /^ {4}at .*?reactor\.js:(\d+):(\d+)\)?$/m.exec(stack.slice(0, MAX_TEXT_LENGTH * 4)) ?? []
  return line === undefined ? null : { line: Number(line), column: Number(column) }
}

function isStatus(value: unknown, min: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= 599
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function truncateText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
}
