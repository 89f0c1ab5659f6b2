/** Whether a text is the origin of a web page: scheme, host and port, without a path. */
export function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text
}

/** Whether a text is a valid `Host` header: a host name, with or without a port. */
export function isHost(text: string): boolean {
  return text.length <= 300 && /^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(text)
}
