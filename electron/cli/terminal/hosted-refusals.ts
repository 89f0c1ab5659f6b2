import { sanitizeText } from './printable.ts'
import { printHint } from './vault-options.ts'

/** A program that calls many hosts must not flood the terminal. */
const MAX_PRINTED_HOSTS = 20

/**
 * Returns a function that prints the first refused connection to each host, because many clients show only that their
 * proxy refused it.
 */
export function createRefusalPrinter(): (host: string) => void {
  const printed = new Set<string>()
  return (host) => {
    if (printed.has(host) || printed.size >= MAX_PRINTED_HOSTS) return
    printed.add(host)
    const name = sanitizeText(host).slice(0, 255)
    printHint(
      `coffer: A connection to ${name} was refused. To allow it, add --allow-destination ${name.replace(/:\d+$/, '')}`,
    )
  }
}
