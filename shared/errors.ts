/**
 * Every error code with its HTTP status (rules ). Codes never change, but messages can. If several codes have
 * the same status, the first is the general one.
 */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  in_flight: 409,
  cancelled: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  apple_pay_refused: 422,
  google_pay_refused: 422,
  network_token_refused: 422,
  locked: 423,
  three_ds_failed: 424,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  damaged: 500,
  bad_gateway: 502,
  unavailable: 503,
  storage_full: 507,
} as const

export type ErrorCode = keyof typeof statusOf

export const errorCodes = Object.keys(statusOf) as ErrorCode[]

const titleOf: Record<ErrorCode, string> = {
  invalid: 'One or more validation errors occurred.',
  unauthenticated: 'Unauthorized',
  forbidden: 'Forbidden',
  not_found: 'Not Found',
  method_not_allowed: 'Method Not Allowed',
  timeout: 'Request Timeout',
  conflict: 'Conflict',
  in_flight: 'Conflict',
  cancelled: 'Cancelled',
  gone: 'Gone',
  too_large: 'Payload Too Large',
  unsupported_media_type: 'Unsupported Media Type',
  unprocessable: 'Unprocessable Entity',
  // The titles that the hosted service uses, which clients check.
  apple_pay_refused: 'Unprocessable Apple Pay Token',
  google_pay_refused: 'Unprocessable Google Pay Token',
  network_token_refused: 'Unprocessable Entity',
  locked: 'Locked',
  three_ds_failed: '3DS Service Error',
  rate_limited: 'Too Many Requests',
  headers_too_large: 'Request Header Fields Too Large',
  internal: 'Internal Server Error',
  damaged: 'Damaged Vault',
  bad_gateway: 'Bad Gateway',
  unavailable: 'Service Unavailable',
  storage_full: 'Insufficient Storage',
}

/** The messages for each member, by its path; only for validation errors (rule A-05). */
export type FieldErrors = Record<string, string[]>

/**
 * The missing permissions. Any one of them, granted on these containers (or anywhere, if `containers` is absent), would
 * have allowed the call.
 */
export type Missing = {
  readonly permissions: readonly string[]
  readonly containers?: readonly string[] | undefined
}

/** The body of every error response (rule A-05), over HTTP and IPC alike. */
export type ProblemDetails = {
  title: string
  status: number
  code: ErrorCode
  /** The word by which the hosted service names the error, if it has one. */
  type?: string
  detail: string
  errors?: FieldErrors
  /** Seconds to wait before the next attempt, as in the `Retry-After` header. */
  retry_after?: number
  /** How many acknowledged commits opening the vault would lose; the owner may accept exactly that number. */
  lost_commits?: number
  /** Only for the owner: other callers must not learn the containers of a token they may not read. */
  missing?: Missing
}

/** The word and the title by which the hosted service names an error of its own (rule Z-03). */
export type ProblemType = { readonly type: string; readonly title: string }

/** Which 3D Secure service failed, and how (rule S-01). */
export type ServiceError = {
  readonly service_status: string
  readonly session_id: string
  readonly error_source: string
  readonly message: string
  readonly detail: string
}

export type ErrorOptions = {
  /** The title, if it says more than that of the code. */
  title?: string | undefined
  missing?: Missing | undefined
  errors?: FieldErrors | undefined
  retry_after?: number | undefined
  lost_commits?: number | undefined
  service?: ServiceError | undefined
  type?: string | undefined
  /** Whether what the call has written stays, although it fails. */
  keeps_writes?: boolean | undefined
  headers?: Record<string, string> | undefined
  /** The status that the owner's code has set for this error. */
  thrown_status?: number | undefined
  cause?: unknown
}

/**
 * The only error class of Coffer. SECURITY: callers see `message` and `errors`, so these must never contain a value
 * from the caller's data, a key or plaintext.
 */
export class CofferError extends Error {
  readonly code: ErrorCode
  readonly title: string | undefined
  readonly errors: FieldErrors | undefined
  /** SECURITY: for the log and the owner's window only; never part of a response to a program. */
  readonly missing: Missing | undefined
  readonly retry_after: number | undefined
  /** How many acknowledged commits opening the vault would lose. */
  readonly lost_commits: number | undefined
  /** Set only for `three_ds_failed`. */
  readonly service: ServiceError | undefined
  /** The word by which the hosted service names the error, if it has one. */
  readonly type: string | undefined
  /** Whether what the call has written stays, although it fails. */
  readonly keeps_writes: boolean
  /** Extra response headers, such as `Allow`. */
  readonly headers: Record<string, string> | undefined
  /**
   * The status that the owner's code has set for this error (rule F-04); undefined for every other error. SECURITY: the
   * message of such an error may contain anything, so no record stores it.
   */
  readonly thrown_status: number | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CofferError'
    this.code = code
    this.title = options.title
    this.errors = options.errors
    this.missing = options.missing
    this.retry_after = options.retry_after
    this.lost_commits = options.lost_commits
    this.service = options.service
    this.type = options.type
    this.keeps_writes = options.keeps_writes ?? false
    this.headers = options.headers
    this.thrown_status = options.thrown_status
  }

  /** The HTTP status: `thrown_status` if set, otherwise that of the error code (rule A-06). */
  get status(): number {
    return this.thrown_status ?? statusOf[this.code]
  }
}

/**
 * Returns a validation error about one member (rule A-05): `createInvalidError('data.number', 'must pass the Luhn
 * check')`.
 */
export function createInvalidError(path: string, message: string): CofferError {
  return new CofferError('invalid', `${path} ${message}`.trim(), { errors: { [path]: [message] } })
}

/** Returns the error for an unexpected failure: a 500 without details, with its cause for the incident (rule A-06). */
export function createInternalError(cause: unknown): CofferError {
  return new CofferError('internal', 'Something went wrong inside the vault.', { cause })
}

/** Returns a validation error with this name; any other error, and one with its own name, as it is. */
export function nameInvalid(error: CofferError, name: ProblemType | undefined): CofferError {
  if (!name || error.type !== undefined || error.code !== 'invalid') return error
  return new CofferError('invalid', error.message, { ...error, cause: error.cause, ...name })
}

/** Returns the general code of a status, or the closest one for a status without a code (rule A-06). */
export function toErrorCode(status: number): ErrorCode {
  const exact = errorCodes.find((code) => statusOf[code] === status)
  return exact ?? (status < 500 ? 'invalid' : 'internal')
}

/** Returns the problem document of an error, without the members that only the owner may see (rule A-05). */
export function toProblem({
  code,
  title,
  status,
  message,
  errors,
  retry_after,
  lost_commits,
  thrown_status,
  type,
}: CofferError): ProblemDetails {
  return {
    title: title ?? (thrown_status === undefined || code === 'bad_gateway' ? titleOf[code] : titleOf.invalid),
    status,
    code,
    ...(type !== undefined && { type }),
    detail: message,
    ...(errors && { errors }),
    ...(retry_after !== undefined && { retry_after }),
    ...(lost_commits !== undefined && { lost_commits }),
  }
}

/** Returns the error that a problem document describes, on the other side of a transport (rule A-05). */
export function fromProblem({
  status,
  code,
  detail,
  errors,
  missing,
  retry_after,
  lost_commits,
}: ProblemDetails): CofferError {
  // Another service, or another version of Coffer, may send no code or an unknown one.
  const knownCode = Object.hasOwn(statusOf, code) ? code : toErrorCode(status)
  return new CofferError(knownCode, detail, { errors, missing, retry_after, lost_commits })
}
