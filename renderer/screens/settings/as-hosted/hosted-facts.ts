import { allowedDestination, type Destinations } from '../../../../shared/destinations.ts'
import type { AsHostedState, HostedConnection } from '../../../../shared/host/as-hosted.ts'

type AnsweredName = Extract<AsHostedState, { state: 'on' }>['names'][number]

/** Groups names by what they stand for, in the order in which they come. */
export function groupNames(names: readonly AnsweredName[]): [role: AnsweredName['role'], hosts: string[]][] {
  const groups = new Map<AnsweredName['role'], string[]>()
  for (const { origin, role } of names) groups.set(role, [...(groups.get(role) ?? []), new URL(origin).host])
  return [...groups]
}

/** The mapped origins that need a new start to be answered: certificates are issued only at the start. */
export function findMappedLater(names: readonly AnsweredName[], { map }: Destinations): string[] {
  const answered = new Set(names.filter(({ role }) => role === 'mapped').map(({ origin }) => origin))
  return Object.keys(map).filter((origin) => isAnswerable(origin) && !answered.has(origin))
}

/** IP addresses and names of this machine are reached without Coffer, and `http:` needs no certificate. */
function isAnswerable(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && !isLocalName(hostname) && !/^\[|^[\d.]+$/.test(hostname)
}

/** The destination to allow, so that the next connection like this one is not refused; null if none would help. */
export function findAllowable(
  { host, outcome }: HostedConnection,
  { allow, map }: Destinations,
): string | null {
  if (outcome !== 'refused' || isLocalName(host.replace(/:\d+$/, ''))) return null
  const { data } = allowedDestination.safeParse(host)
  return data === undefined || allow.includes(data) || Object.hasOwn(map, `https://${host}`) ? null : data
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Arguments as a shell takes them. */
export function quoteArguments(values: readonly string[]): string {
  return values.map((value) => `'${value.replaceAll("'", `'\\''`)}'`).join(' ')
}
