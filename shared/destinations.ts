import { z } from 'zod'

/** Where calls may go (rules G-02, G-03). Loopback is always allowed. */
export type Destinations = {
  /**
   * Hosts (`api.example.com`, `*.example.com`, `*`), with a port or without, and addresses or networks (`10.0.0.7`,
   * `10.0.0.0/8`). An address in a private network needs an entry of its own, whatever the host is called.
   */
  readonly allow: readonly string[]
  /** The origin that is called in place of another: `https://api.example.com` → `http://127.0.0.1:12111`. */
  readonly map: Readonly<Record<string, string>>
}

export const noDestinations: Destinations = { allow: [], map: {} }

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const host = new RegExp(`^(?:\\*|(?:\\*\\.)?${label}(?:\\.${label})*)(?::\\d{1,5})?$`)
/** A name cannot end in a number: `999.1.1.1` and `10.0.0.7:80` would allow nothing. */
const numeric = /(?:^|\.)\d+(?::\d+)?$/
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** An entry of `allow`: a host, `*.` and a domain, `*` for every host, an address or a network. */
export const allowedDestination = z
  .string()
  .max(255)
  .trim()
  .toLowerCase()
  .refine((text) => isNetwork(text) || (host.test(text) && !numeric.test(text)), {
    error:
      'must be a host such as api.example.com, *.example.com, *, or an address or network such as 10.0.0.0/8',
  })

/** Whether an entry names an address or a network instead of a host. */
export function isNetwork(entry: string): boolean {
  return network.safeParse(entry).success
}

/** One side of a map: scheme, host and port, without path, user or query. */
export const destinationOrigin = z
  .string()
  .max(255)
  .trim()
  .transform((text, context) => {
    const origin = originOf(text)
    if (origin === undefined) {
      context.addIssue('must be an address without a path, such as https://api.example.com')
      return z.NEVER
    }
    return origin
  })

function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const isBare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isBare && !text.endsWith('?') && !text.endsWith('#') ? url.origin : undefined
}

/** What an owner decides about destinations, as settings, seeds and the test library state it. */
export const destinations = z.strictObject({
  allow: z.array(allowedDestination).max(100).default([]),
  map: z
    .record(destinationOrigin, destinationOrigin)
    .refine((entries) => Object.keys(entries).length <= 100, 'must have at most 100 entries')
    .default({}),
})

/** Destinations of two places together; where both map an address, the second decides. */
export function bothDestinations(first: Destinations, second: Destinations): z.output<typeof destinations> {
  return {
    allow: [...new Set([...first.allow, ...second.allow])],
    map: { ...first.map, ...second.map },
  }
}

/** Whether a call may go anywhere but to this machine. */
export function hasDestinations({ allow, map }: Destinations): boolean {
  return allow.length > 0 || Object.keys(map).length > 0
}
