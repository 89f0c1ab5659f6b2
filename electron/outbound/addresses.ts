import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * The network of an address: this machine; a private network (cloud metadata included); the public internet; or none,
 * for an address that cannot be called (unspecified, multicast, reserved).
 */
export type AddressKind = 'loopback' | 'private' | 'public' | 'none'

const loopback = createBlockList(['127.0.0.0/8', '::1/128'])
const none = createBlockList(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'])
const local = createBlockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
])
/** Networks whose addresses contain an IPv4 address; `at` is the index of its first 16-bit group. */
const embedding = [
  { list: createBlockList(['::ffff:0:0/96', '::/96', '64:ff9b::/96', '64:ff9b:1::/48']), at: 6 },
  { list: createBlockList(['2002::/16']), at: 1 },
] as const

/**
 * Classifies an IP address in the form that the system's resolver returns. SECURITY: an IPv6 address that embeds an
 * IPv4 address is classified like that IPv4 address.
 */
export function classifyAddress(address: string): AddressKind {
  const plain = stripZone(address)
  if (isInBlockList(loopback, plain)) return 'loopback'
  if (isInBlockList(none, plain)) return 'none'
  const inner = findEmbeddedIPv4(plain)
  if (inner !== undefined) return classifyAddress(inner)
  return isInBlockList(local, plain) ? 'private' : 'public'
}

/** Creates a list of addresses and networks, such as `10.0.0.0/8`. */
export function createBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', length] = entry.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, Number(length ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return list
}

/** Whether the list contains an address, or the IPv4 address embedded in it. */
export function isInBlockList(list: BlockList, address: string): boolean {
  const plain = stripZone(address)
  if (isIPv4(plain)) return list.check(plain, 'ipv4')
  if (!isIPv6(plain)) return false
  const inner = findEmbeddedIPv4(plain)
  return list.check(plain, 'ipv6') || (inner !== undefined && list.check(inner, 'ipv4'))
}

function stripZone(address: string): string {
  return address.split('%')[0] ?? ''
}

function findEmbeddedIPv4(address: string): string | undefined {
  if (!isIPv6(address)) return undefined
  const match = embedding.find(({ list }) => list.check(address, 'ipv6'))
  if (!match) return undefined
  const [high = 0, low = 0] = parseGroups(address).slice(match.at, match.at + 2)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Parses an IPv6 address into its eight 16-bit groups, in hexadecimal. */
function parseGroups(address: string): number[] {
  // The URL parser normalizes every form of an address to hexadecimal groups, with `::` at most once.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const missing = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0)
  return [...(first ?? []), ...Array<string>(missing).fill('0'), ...(last ?? [])].map((group) =>
    Number.parseInt(group, 16),
  )
}
