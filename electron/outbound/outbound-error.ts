import { CofferError } from '../../shared/errors.ts'

const reasonsByCode: Record<string, string> = {
  ENOTFOUND: 'has no address: its name cannot be resolved',
  EAI_AGAIN: 'has no address: its name cannot be resolved now',
  ECONNREFUSED: 'refused the connection: nothing listens there',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: there is no network',
  ECONNRESET: 'cut the connection',
  EPIPE: 'cut the connection',
  UND_ERR_SOCKET: 'cut the connection',
  UND_ERR_HEADERS_OVERFLOW: 'sent headers that are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent more or less than it announced',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'sent more than may be passed on',
}

/**
 * Explains why a call or the reading of its answer failed, as an error of the table: `invalid` (a
 * header that HTTP cannot carry), `timeout`, `cancelled` (its signal), `bad_gateway`. A CofferError stays as it is. SECURITY: nothing that was sent or received is in the message.
 */
export function toOutboundError(error: unknown, host: string): CofferError {
  if (error instanceof CofferError) return error
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new CofferError('invalid', 'The call has a header or a path that HTTP cannot carry.')
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new CofferError('timeout', `${host} did not answer in time.`, { cause: error })
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
    return 'has no certificate that this machine trusts'
  }
  if (codes.some((code) => /ERR_TLS|ERR_SSL|EPROTO/.test(code))) {
    return 'could not agree on a secure connection (TLS 1.2 or later, for HTTP/1.1)'
  }
  return (error as Error)?.name === 'HTTPParserError' ? 'did not answer in HTTP' : 'could not be called'
}

/** Several addresses that all failed are one error with a list of errors. */
function listCauses(error: unknown): unknown[] {
  const { cause, errors: several } = (error ?? {}) as { cause?: unknown; errors?: unknown }
  return [...(Array.isArray(several) ? several : []), ...(cause === undefined ? [] : [cause])]
}
