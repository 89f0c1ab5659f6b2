/** The names and values of headers, in the order they were received or will be sent. */
export type Headers = readonly (readonly [name: string, value: string])[]

/** Headers that apply to a single connection, or that are set for each connection. */
const notForwarded = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Finds the first value of a header. `name` is in lower case. Returns undefined if there is none. */
export function findHeader(headers: Headers, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
}

/**
 * Returns the request headers to forward to the destination (rule G-04): without headers of the connection, headers
 * meant for the proxy itself, and headers whose names have characters other than letters, digits, `-` and `_`.
 */
export function filterRequestHeaders(headers: Headers): Headers {
  const connectionHeaders = (findHeader(headers, 'connection') ?? '').toLowerCase().split(/\s*,\s*/)
  const filtered = headers.filter(([name]) => {
    const lower = name.toLowerCase()
    if (notForwarded.has(lower) || connectionHeaders.includes(lower)) return false
    return /^[\w-]+$/.test(name) && !/^(bt|svc)-/.test(lower)
  })
  const requested = ['Connection', 'Keep-Alive'].flatMap((name): Headers => {
    const member = `proxy-${name.toLowerCase()}`
    const value = findHeader(headers, `bt-${member}`) ?? findHeader(headers, `svc-${member}`)
    return value === undefined ? [] : [[name, value]]
  })
  return [...filtered, ...requested]
}

/** Returns the response headers to forward to the caller when the body is unchanged (rule G-04). */
export function filterResponseHeaders(headers: Headers): Headers {
  const connectionHeaders = (findHeader(headers, 'connection') ?? '').toLowerCase().split(/\s*,\s*/)
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return lower === 'content-length' || !(notForwarded.has(lower) || connectionHeaders.includes(lower))
  })
}

/**
 * Whether a transform may add a header with this name. Headers that affect the connection or the length of the
 * message are not allowed.
 */
export function mayBeAdded(name: string): boolean {
  return /^[\w-]+$/.test(name) && !notForwarded.has(name.toLowerCase())
}
