import { UsageError } from './usage-error.ts'

/**
 * The address that an option names. SECURITY: plain HTTP only to this machine; anywhere else, everything sent could be
 * read in transit.
 */
export function parseWebAddress(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text
  throw new UsageError(`${option} must be an https address, or http on this machine.`)
}
