const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const host = new RegExp(`^(?:\\*|(?:\\*\\.)?${label}(?:\\.${label})*)(?::\\d{1,5})?$`)
/**
 * Matches entries whose last label is a number, such as `999.1.1.1` and `10.0.0.7:80`. Such an entry is rejected: no
 * host name ends in a number, so it would allow nothing.
 */
const numeric = /(?:^|\.)\d+(?::\d+)?$/
const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const fourBytes = new RegExp(`^${byte}(?:\\.${byte}){3}$`)
const prefix = /^(?:0|[1-9]\d{0,2})$/

/** Whether an entry of the allowed destinations, in lower case, is a host, an IP address or a network. */
export function isAllowable(entry: string): boolean {
  return isNetwork(entry) || (host.test(entry) && !numeric.test(entry))
}

/** Whether an entry names an IP address or a network instead of a host. */
export function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  if (more.length > 0 || (bits !== undefined && !prefix.test(bits))) return false
  if (fourBytes.test(address)) return Number(bits ?? 0) <= 32
  return /^[\da-fA-F:.]+$/.test(address) && URL.canParse(`http://[${address}]`) && Number(bits ?? 0) <= 128
}

/** Returns the origin of a URL; undefined if it has a path, query or user, or is not http(s). */
export function parseOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const isOriginOnly = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isOriginOnly && !text.endsWith('?') && !text.endsWith('#') ? url.origin : undefined
}
