import { CofferError } from '../../shared/errors.ts'

const reasonsByCode: Record<string, string> = {
  ENOTFOUND: 'cannot be resolved',
  EAI_AGAIN: 'cannot be resolved at the moment',
  ECONNREFUSED: 'refused the connection: nothing listens on that port',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: there is no network',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'sent headers that are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent more or less than its Content-Length',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'sent a response that is too long',
}

/**
 * Converts a failure of a call, or of reading its response, to a CofferError: `invalid` (an invalid header or path),
 * `timeout`, `cancelled` (by its signal) or `bad_gateway`. A CofferError is returned unchanged. SECURITY: the message
 * contains nothing that was sent or received.
 */
export function toOutboundError(error: unknown, host: string): CofferError {
  if (error instanceof CofferError) return error
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new CofferError('invalid', 'The request has an invalid header or path.')
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new CofferError('timeout', `${host} did not respond in time.`, { cause: error })
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new CofferError('timeout', `${host} did not accept a connection in time.`, { cause: error })
  }
  if (code === 'UND_ERR_ABORTED' || name === 'AbortError') {
    return new CofferError('cancelled', 'The call was cancelled.', { cause: error })
  }
  return new CofferError('bad_gateway', `${host} ${describeReason(error)}.`, { cause: error })
}

function describeReason(error: unknown): string {
  const codes = [error, ...listCauses(error)].map((each) => String((each as { code?: unknown })?.code ?? ''))
  const known = codes.map((code) => reasonsByCode[code]).find((text) => text !== undefined)
  if (known) return known
  if (codes.includes('ERR_TLS_CERT_ALTNAME_INVALID')) return 'has a certificate for another name'
  if (codes.some((code) => /^(?!ERR_)(?=.*(CERT|SELF_SIGNED|UNABLE_TO_VERIFY))/.test(code))) {
    return 'has no certificate that this computer trusts'
  }
  if (codes.some((code) => /ERR_TLS|ERR_SSL|EPROTO/.test(code))) {
    return 'could not establish a secure connection (needs TLS 1.2 or later and HTTP/1.1)'
  }
  return (error as Error)?.name === 'HTTPParserError' ? 'did not respond with HTTP' : 'could not be called'
}

/** Returns the causes of an error: several if more than one address of a host was tried. */
function listCauses(error: unknown): unknown[] {
  const { cause, errors: several } = (error ?? {}) as { cause?: unknown; errors?: unknown }
  return [...(Array.isArray(several) ? several : []), ...(cause === undefined ? [] : [cause])]
}
