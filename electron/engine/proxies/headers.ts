/** Names and values of headers, as they were received or are to be sent. */
export type Headers = readonly (readonly [name: string, value: string])[]

/** Headers that belong to one connection, and those that are made afresh for each. */
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

/** A value of a header, whatever the case of its name; undefined if there is none. */
export function findHeader(headers: Headers, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
}

/**
 * The headers of a request that go on to the destination (rule G-04): not those of the connection, nor those for the
 * proxy itself, nor names with other characters than letters, digits, `-` and `_`.
 */
export function filterRequestHeaders(headers: Headers): Headers {
  const connectionHeaders = (findHeader(headers, 'connection') ?? '').toLowerCase().split(/\s*,\s*/)
  const filtered = headers.filter(([name]) => {
    const lower = name.toLowerCase()
    if (notForwarded.has(lower) || connectionHeaders.includes(lower)) return false
    return /^[\w-]+$/.test(name) && !/^(bt|svc)-/.test(lower)
  })
  const connection = findHeader(headers, 'bt-proxy-connection') ?? findHeader(headers, 'svc-proxy-connection')
  return connection === undefined ? filtered : [...filtered, ['Connection', connection]]
}

/** The headers of an answer that go back to the caller with its body as it came (rule G-04). */
export function filterResponseHeaders(headers: Headers): Headers {
  const connectionHeaders = (findHeader(headers, 'connection') ?? '').toLowerCase().split(/\s*,\s*/)
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return lower === 'content-length' || !(notForwarded.has(lower) || connectionHeaders.includes(lower))
  })
}

/** Whether a transform may add a header of this name: not one that says where the message ends. */
export function mayBeAdded(name: string): boolean {
  return /^[\w-]+$/.test(name) && !notForwarded.has(name.toLowerCase())
}
