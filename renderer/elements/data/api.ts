import type { PlainError } from '../protocol.ts'
import { ElementsServiceError } from './errors.ts'
import { encodeBase64 } from './jwe.ts'

/** The options that the page may pass to any call. */
export type RequestOptions = {
  readonly apiKey?: string
  readonly correlationId?: string
  readonly idempotencyKey?: string
  readonly deviceInfo?: unknown
}

export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
  /** The page's own headers, for a destination. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export type ApiResponse = { readonly status: number; readonly headers: Headers; readonly text: string }

type ElementsApiOptions = {
  /** The vault's origin, which is also this frame's. */
  readonly base: string
  readonly apiKey: string
  /** The origin of the page that embeds this frame. */
  readonly page: string
  readonly debug: boolean
  readonly deviceInfo: () => unknown
}

export class Api {
  readonly #options: ElementsApiOptions
  #deviceInfo: unknown

  constructor(options: ElementsApiOptions) {
    this.#options = options
  }

  /** Sends a request with the page's key and returns its response, whatever the status. Throws BasisTheoryApiError. */
  async sendRequest(
    { method, path, body, type = 'application/json', headers: own }: ApiRequest,
    ro: RequestOptions = {},
  ): Promise<ApiResponse> {
    const { base, page, apiKey } = this.#options
    const headers = new Headers(own)
    const setHeader = (name: string, value: string | undefined) => {
      if (value !== undefined) headers.set(name, value)
    }
    if (body !== undefined) setHeader('Content-Type', headers.get('Content-Type') ?? type)
    setHeader('BT-API-KEY', ro.apiKey ?? apiKey)
    setHeader('BT-TRACE-ID', ro.correlationId)
    setHeader('BT-IDEMPOTENCY-KEY', ro.idempotencyKey)
    const deviceInfo = JSON.stringify(ro.deviceInfo ?? this.#getDeviceInfo())
    setHeader('BT-DEVICE-INFO', encodeBase64(new TextEncoder().encode(deviceInfo)))
    // SECURITY: set after the page's headers, so that no page can pretend to be another.
    setHeader('BT-ELEMENTS-ORIGIN', page)
    const request: RequestInit = {
      method,
      headers,
      // SECURITY: a destination behind a proxy may redirect anywhere. Do not send the key there.
      redirect: 'manual',
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    }
    return fetchResponse(`${base}/api${path}`, request, () =>
      createApiError('The vault did not respond. It may not be running.', -1, undefined),
    )
  }

  /** Returns an id that stays the same until the vault is locked. Throws while it is locked. */
  async fetchOpening(): Promise<string> {
    const { status, text } = await this.sendRequest({ method: 'GET', path: '/elements/opening' })
    if (status !== 200) throw createApiError(`Request failed with status code ${status}`, status, undefined)
    return text
  }

  /** Adds debug information to a response if the page initialized Elements with `debug`. */
  withDebugInfo(response: unknown, { headers }: ApiResponse): unknown {
    if (
      !this.#options.debug ||
      typeof response !== 'object' ||
      response === null ||
      Array.isArray(response)
    ) {
      return response
    }
    return { ...response, _debug: readDebugInfo(headers) }
  }

  /** The error for a response. `data` is the part that the page may see. */
  toApiError({ status, headers }: ApiResponse, data: unknown): ElementsServiceError {
    const added = this.#options.debug ? { _debug: readDebugInfo(headers) } : {}
    return createApiError(`Request failed with status code ${status}`, status, data, added)
  }

  #getDeviceInfo(): unknown {
    this.#deviceInfo ??= this.#options.deviceInfo()
    return this.#deviceInfo
  }
}

/**
 * Sends a request. SECURITY: without cookies, because a page must not act as the owner, who may have the
 * window open in this browser.
 */
export async function fetchResponse(
  url: string,
  request: RequestInit,
  createNoResponseError: () => ElementsServiceError,
): Promise<ApiResponse> {
  // An invalid request is an error of the caller, not of the network.
  const sent = new Request(url, {
    ...request,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
  })
  try {
    const response = await fetch(sent)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    throw createNoResponseError()
  }
}

function createApiError(
  message: string,
  status: number,
  data: unknown,
  added: Partial<PlainError> = {},
): ElementsServiceError {
  return new ElementsServiceError({ name: 'BasisTheoryApiError', message, status, data, ...added })
}

function readDebugInfo(headers: Headers): Record<string, string | null> {
  return { cfRay: headers.get('cf-ray'), btTraceId: headers.get('bt-trace-id') }
}
