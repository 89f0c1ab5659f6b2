import { isAllowable, parseOrigin } from './destination-names.ts'
import { z } from './zod.ts'

/** Where calls may go (rules G-02, G-03). Loopback is always allowed. */
export type Destinations = {
  /**
   * Hosts (`api.example.com`, `*.example.com`, `*`), with or without a port, and IP addresses or networks (`10.0.0.7`,
   * `10.0.0.0/8`). An IP address in a private network needs its own entry, even if the host name that resolves to it is
   * allowed.
   */
  readonly allow: readonly string[]
  /** Maps origins to the origins to call instead: `https://api.example.com` → `http://127.0.0.1:12111`. */
  readonly map: Readonly<Record<string, string>>
}

export const noDestinations: Destinations = { allow: [], map: {} }

/** An entry of `allow`: a host, `*.` and a domain, `*` for every host, an IP address or a network. */
export const allowedDestination = z.string().max(255).trim().toLowerCase().refine(isAllowable, {
  error:
    'must be a host such as api.example.com, *.example.com or *, or an IP address or network such as 10.0.0.0/8',
})

/** One side of a map: an origin, which is scheme, host and port, without path, user or query. */
export const destinationOrigin = z
  .string()
  .max(255)
  .trim()
  .transform((text, context) => {
    const origin = parseOrigin(text)
    if (origin === undefined) {
      context.addIssue('must be a scheme, host and port without a path, such as https://api.example.com')
      return z.NEVER
    }
    return origin
  })

/** The destinations of an owner, as in settings, seeds and the test library. */
export const destinations = z.strictObject({
  allow: z.array(allowedDestination).max(100).default([]),
  map: z
    .record(destinationOrigin, destinationOrigin)
    .refine((entries) => Object.keys(entries).length <= 100, 'must have at most 100 entries')
    .default({}),
})

/** Returns the union of two sets of destinations. If both map the same origin, the mapping of the second is used. */
export function mergeDestinations(first: Destinations, second: Destinations): z.output<typeof destinations> {
  return { allow: [...new Set([...first.allow, ...second.allow])], map: { ...first.map, ...second.map } }
}

/** Whether any destination is allowed or redirected, in addition to loopback. */
export function hasDestinations({ allow, map }: Destinations): boolean {
  return allow.length > 0 || Object.keys(map).length > 0
}
