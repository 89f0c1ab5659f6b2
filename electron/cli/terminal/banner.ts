import type { Destinations } from '../../../shared/destinations.ts'
import type { SeededClientKey } from '../../host/first-data/seed/apply-seed.ts'
import type { StarterKeys } from '../../host/first-data/starter-applications.ts'
import { say } from './common.ts'
import { hasTerminal } from './prompt.ts'

type Secrets = { readonly recovery_key: string | undefined; readonly keys: StarterKeys | undefined }

export type Facts = {
  readonly name: string
  readonly state: 'opened' | 'created' | 'ephemeral' | 'locked'
  /** Why the vault is locked. */
  readonly reason?: string
  readonly url: string
  readonly keys?: StarterKeys
  /** The client encryption keys of a seed. */
  readonly client_keys?: readonly SeededClientKey[]
  readonly recovery_key?: string
  readonly console?: string
  /** The names of the active faults. */
  readonly faults?: readonly string[]
  /** Where proxies may call beyond this machine. */
  readonly destinations?: Destinations
  /** Code may run. */
  readonly reactors?: boolean
  readonly ready_ms: number
  /** The command that creates another key. */
  readonly keys_command: string
}

/** A request to paste: stores a card and returns it masked. */
function curlLine(url: string, key: string): string {
  return [
    `curl ${url}/tokens -H 'SVC-API-KEY: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}'`,
  ].join('\n  ')
}

/** Prints new secrets, which are shown only once. */
export function saySecrets({ recovery_key, keys }: Secrets): void {
  if (recovery_key !== undefined) {
    say()
    say('Recovery key, shown only once. Keep it safe: it opens the vault on any machine.')
    say(`  ${recovery_key}`)
  }
  if (keys === undefined) return
  say()
  say('Application keys, shown only once:')
  say(`  management  ${keys.management}`)
  say(`  private     ${keys.private}`)
  say(`  public      ${keys.public}`)
}

/** Prints what someone who just started Coffer needs next. */
export function banner({
  name,
  state,
  reason,
  url,
  keys,
  client_keys = [],
  recovery_key,
  console,
  faults,
  destinations,
  reactors,
  ready_ms,
  keys_command,
}: Facts): void {
  const vault = state === 'ephemeral' ? 'in memory, gone when Coffer stops' : `vault ${name}`
  say(`Coffer is listening on ${url} (${vault}, ready in ${ready_ms} ms)`)
  saySecrets({ recovery_key, keys })
  for (const { key_id, public_key_pem } of client_keys) {
    say()
    say(`Client encryption key ${key_id}, its public half shown only once:`)
    say(public_key_pem)
  }
  if (keys) {
    say()
    say('Store a card as a token:')
    say(`  ${curlLine(url, keys.private)}`)
  } else if (state === 'locked') {
    say(`The vault is locked: ${reason}`)
    say('Unlock it in the window.')
  } else {
    say('Its keys were shown when it was created.')
    say(`Create a new one ${console === undefined ? '' : 'in the window, or '}with: ${keys_command}`)
  }
  if (console !== undefined) {
    say()
    say(`Open the window in your browser with this link, which works once: ${console}`)
    if (hasTerminal()) say('Press Enter for a new link.')
  }
  if (faults !== undefined) {
    say()
    say(`Faults are set and disturb callers on purpose: ${faults.join(', ')}`)
  }
  if (destinations !== undefined) sayDestinations(destinations)
  if (reactors) {
    say()
    say('The code of reactors and transforms may run. A reactor is a program with network access.')
  }
  say()
  say('Stop with Ctrl-C.')
}

function sayDestinations({ allow, map }: Destinations): void {
  say()
  if (allow.length > 0) say(`Proxies may call, beyond this machine: ${allow.join(', ')}`)
  for (const [from, to] of Object.entries(map)) say(`Calls to ${from} go to ${to}`)
}
