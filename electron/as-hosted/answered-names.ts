import { isIP } from 'node:net'
import type { Destinations } from '../../shared/destinations.ts'
import { type NameRole, serviceNames } from './names.ts'

/** What is answered at a name and port: a part of the hosted service, or a destination that the owner has mapped. */
export type AnsweredRole = NameRole | 'mapped'

/** The names that are answered, each with its port, such as `api.basistheory.com:443`. */
export type AnsweredNames = ReadonlyMap<string, AnsweredRole>

/**
 * Returns what is answered: the names of the hosted service, and the `https:` origins that the owner maps (rules H-01,
 * H-04). A mapped origin takes precedence. An IP address or a name of this machine is reached without Coffer.
 */
export function listAnswered({ map }: Destinations): AnsweredNames {
  const answered = new Map<string, AnsweredRole>()
  for (const [name, role] of Object.entries(serviceNames)) answered.set(`${name}:443`, role)
  for (const origin of Object.keys(map)) {
    const { protocol, hostname, port } = new URL(origin)
    const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
    if (protocol === 'https:' && !isIP(hostname) && !hostname.startsWith('[') && !isLocal)
      answered.set(`${hostname}:${port || '443'}`, 'mapped')
  }
  return answered
}

/** The host names without ports, each once. */
export function listHostNames(answered: AnsweredNames): string[] {
  return [...new Set([...answered.keys()].map((name) => name.slice(0, name.lastIndexOf(':'))))]
}

/** Returns the origin of an answered name, as clients write it. */
export function toOrigin(name: string): string {
  return new URL(`https://${name}`).origin
}
