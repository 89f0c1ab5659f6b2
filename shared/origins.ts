/** Whether a string is the origin of a web page: scheme, host and port, without a path. */
export function isOrigin(text: string): boolean {
  return readOrigin(text) === text
}

/** The origin that a person has typed, as browsers write it. Null if the text is more than an origin, or none. */
export function readOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`
    ? url.origin
    : null
}

/**
 * Whether a string has the form of a `Host` header: a host name, with or without a port. Stored settings are checked
 * only this far, because earlier versions accepted any port.
 */
export function isHost(text: string): boolean {
  return text.length <= 300 && /^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(text)
}

/** Whether a string is a valid `Host` header, with a port from 1 to 65535 if it has one. */
export function isHostToAllow(text: string): boolean {
  const port = text.split(':')[1]
  return isHost(text) && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535))
}
