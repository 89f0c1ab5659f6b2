import { isIP } from 'node:net'
import { isNetwork } from '../../shared/destination-names.ts'
import type { Destinations } from '../../shared/destinations.ts'
import { CofferError } from '../../shared/errors.ts'
import { classifyAddress, createBlockList, isInBlockList } from './addresses.ts'

/** Where a call is sent. */
export type DecidedDestination = {
  /** The URL to connect to: the requested one, or the one it is mapped to. */
  readonly url: URL
  /** The host as the caller named it, for messages and records. */
  readonly host: string
  readonly isMapped: boolean
}

/**
 * Decides where a call goes, before any name is resolved (rules G-02, G-03). Throws `invalid` for a malformed URL or
 * one with a user name, and `forbidden` for a host that is not allowed, or `http:` where only `https:` is allowed.
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
    // If the mapped host has no port, setting `host` keeps the old port, so remove it.
    if (url.origin !== target) url.port = ''
    return { url, host, isMapped: true }
  }
  if (isLoopbackName(host)) return { url: real, host, isMapped: false }
  if (!isAllowed(real, destinations)) throw createNotAllowedError(real)
  if (real.protocol !== 'https:') {
    throw new CofferError(
      'forbidden',
      `${host} can only be called over https:. Nothing was sent. To call a local stand-in over http:, map the destination to it (--map-destination).`,
    )
  }
  return { url: real, host, isMapped: false }
}

/**
 * Decides where a program may connect through Coffer, to encrypt its traffic itself. Throws `invalid` for an authority
 * that is not a host and port, and `forbidden` unless the host is allowed. SECURITY: a port other than 443 needs an entry
 * of its own, and nothing leads to this machine (case X-73).
 */
export function decideTunnel(authority: string, destinations: Destinations): DecidedDestination {
  if (!/^(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/.test(authority)) {
    throw new CofferError('invalid', 'A connection through the proxy needs a host and a port.')
  }
  const decided = decideDestination(`https://${authority}`, destinations)
  const { url, host, isMapped } = decided
  if (isMapped) {
    throw new CofferError(
      'forbidden',
      `${host} was mapped after Coffer started. To answer it, start Coffer again.`,
    )
  }
  if (isLoopbackName(host)) {
    throw new CofferError(
      'forbidden',
      `${host} is this machine. Add it to NO_PROXY to call it without the proxy.`,
    )
  }
  const withPort = destinations.allow.filter((entry) => !isNetwork(entry) && entry.endsWith(`:${url.port}`))
  if (url.port !== '' && !isAllowed(url, { ...destinations, allow: withPort })) {
    throw new CofferError(
      'forbidden',
      `${host} may be called only at port 443. Nothing was sent. To allow this port: --allow-destination ${host}:${url.port}`,
    )
  }
  return decided
}

/**
 * Checks an IP address to which a host name was resolved (rule G-02). A loopback name may resolve to an address of this
 * machine, and any other name to a public address. Otherwise, the owner must have allowed the address or mapped the
 * destination to it. Throws `forbidden` for an address that is not allowed, or that cannot be called at all.
 */
export function checkAddress(
  address: string,
  { url, host, isMapped }: DecidedDestination,
  destinations: Destinations,
): void {
  const kind = classifyAddress(address)
  const hostName = getHost(url)
  // SECURITY: a public name may resolve to this machine or its network (DNS rebinding).
  if (isLoopbackName(hostName)) {
    // Some resolvers ask the network for `x.localhost`, so its address is checked too.
    if (kind === 'loopback') return
  } else if (kind === 'public') return
  // A map to an IP address allows that address, because the owner entered it.
  if (kind !== 'none' && isMapped && isIP(hostName)) return
  if (kind !== 'none' && isInBlockList(createBlockList(destinations.allow.filter(isNetwork)), address)) return
  throw new CofferError(
    'forbidden',
    kind === 'none'
      ? `${host} resolves to an address that cannot be called (${address}). Nothing was sent.`
      : `${host} has the address ${address}, which is not allowed. Nothing was sent. To allow it: --allow-destination ${address}, or Settings → Destinations.`,
  )
}

/** The host name or IP address of a URL, without brackets or a trailing dot. */
export function getHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** The origin of a URL without a trailing dot of its host, which would not match the destination map. */
function getOrigin({ origin, hostname }: URL): string {
  return hostname.endsWith('.') ? origin.replace(hostname, hostname.slice(0, -1)) : origin
}

function parseDestination(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new CofferError('invalid', 'The destination must be an https: URL.')
  }
  // SECURITY: a user name and a password would be sent to the destination and stored in the log.
  if (url.username || url.password) {
    throw new CofferError('invalid', 'The destination must not contain a user name or a password.')
  }
  return url
}

function getDestinationMap({ map }: Destinations): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), map)
}

/** Whether a host means this machine by definition: `localhost`, a name below it, or a loopback address. */
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
    return name === '*' || (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name)
  })
}

function createNotAllowedError(url: URL): CofferError {
  const host = getHost(url)
  return new CofferError(
    'forbidden',
    `${host} is not an allowed destination. Nothing was sent. To allow it: coffer serve --allow-destination ${host}, or Settings → Destinations.`,
  )
}
