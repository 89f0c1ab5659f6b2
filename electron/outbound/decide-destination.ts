import { isIP } from 'node:net'
import { isNetwork } from '../../shared/destination-names.ts'
import type { Destinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { classifyAddress, createBlockList, isInBlockList } from './addresses.ts'

/** Where a call goes in the end. */
export type DecidedDestination = {
  /** The address to call: the real one, or the one it is mapped to. */
  readonly url: URL
  /** The name of the host as the caller gave it, for messages and records. */
  readonly host: string
  readonly isMapped: boolean
}

/**
 * Decides where a call goes, before any name is resolved (rules G-02, G-03). Throws `invalid` (no such address, a user
 * in it), `forbidden` (a host that the owner has not allowed, `http:` where only `https:` may be used).
 */
export function decideDestination(address: string, destinations: Destinations): DecidedDestination {
  const real = parseDestination(address)
  const host = getHost(real)
  const target = getDestinationMap(destinations)[getOrigin(real)]
  if (target !== undefined) {
    const url = new URL(real)
    const { protocol, host: mapped } = new URL(target)
    url.protocol = protocol
    url.host = mapped
    // The URL keeps the old port where the new host names none.
    if (url.origin !== target) url.port = ''
    return { url, host, isMapped: true }
  }
  if (!isLoopbackName(host) && !isAllowed(real, destinations)) throw createNotAllowedError(real)
  if (real.protocol !== 'https:' && !isLoopbackName(host)) {
    throw new CofferError(
      'forbidden',
      `${host} may only be called by https:. Nothing was sent. To call a stand-in by http:, map the address to it (--map-destination).`,
    )
  }
  return { url: real, host, isMapped: false }
}

/**
 * Checks the address that a name was resolved to (rule G-02). Throws `forbidden` unless it is public, this machine
 * under its own name, or allowed by an entry of its own.
 */
export function checkAddress(
  address: string,
  { url, host, isMapped }: DecidedDestination,
  destinations: Destinations,
): void {
  const kind = classifyAddress(address)
  const hostName = getHost(url)
  // SECURITY: a public name may resolve to this machine or to its network (DNS rebinding).
  if (isLoopbackName(hostName)) {
    // A resolver that knows no better asks the network for `x.localhost`.
    if (kind === 'loopback') return
  } else if (kind === 'public') return
  // Whoever maps to an address has named it.
  if (kind !== 'none' && isMapped && isIP(hostName)) return
  if (kind !== 'none' && isInBlockList(createBlockList(destinations.allow.filter(isNetwork)), address)) return
  throw new CofferError(
    'forbidden',
    kind === 'none'
      ? `${host} has no address that can be called (${address}). Nothing was sent.`
      : `${host} has the address ${address}, which is not allowed. Nothing was sent. To allow it: --allow-destination ${address}, or Settings → Destinations.`,
  )
}

/** The name or address of a URL's host, without brackets. */
export function getHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** The origin of a URL, without the dot that may end the name of its host: it would lead around a map. */
function getOrigin({ origin, hostname }: URL): string {
  return hostname.endsWith('.') ? origin.replace(hostname, hostname.slice(0, -1)) : origin
}

function parseDestination(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new CofferError('invalid', 'The destination must be an https: address.')
  }
  // SECURITY: they would be sent to the destination, and kept in the log.
  if (url.username || url.password) {
    throw new CofferError('invalid', 'The destination must not contain a user or a password.')
  }
  return url
}

function getDestinationMap({ map }: Destinations): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), map)
}

/** Names that mean this machine without any resolver. */
function isLoopbackName(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (isIP(host) !== 0 && classifyAddress(host) === 'loopback')
  )
}

function isAllowed(url: URL, { allow }: Destinations): boolean {
  const host = getHost(url)
  if (isIP(host))
    return (
      isInBlockList(createBlockList(allow.filter(isNetwork)), host) ||
      (allow.includes('*') && classifyAddress(host) === 'public')
    )
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allow.some((entry) => {
    const [name = '', only] = entry.split(':')
    if (only !== undefined && only !== port) return false
    if (name === '*') return true
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
  })
}

function createNotAllowedError(url: URL): CofferError {
  const host = getHost(url)
  return new CofferError(
    'forbidden',
    `${host} is not an allowed destination. Nothing was sent. To allow it: coffer serve --allow-destination ${host}, or Settings → Destinations.`,
  )
}
