import type { StarterKeys } from '../../host/first-data/starter-applications.ts'
import { say } from './common.ts'
import { hasTerminal } from './prompt.ts'

type Secrets = { readonly recovery_key: string | undefined; readonly keys: StarterKeys | undefined }

export type Facts = {
  readonly name: string
  readonly state: 'opened' | 'created' | 'ephemeral' | 'locked'
  /** Why it is locked. */
  readonly reason?: string
  readonly url: string
  readonly keys?: StarterKeys
  readonly recovery_key?: string
  readonly console?: string
  /** Names of the faults that are set. */
  readonly faults?: readonly string[]
  readonly ready_ms: number
  /** What makes another key. */
  readonly keys_command: string
}

/** A request to paste: it stores a card and reads it back masked from the answer. */
function curlLine(url: string, key: string): string {
  return [
    `curl ${url}/tokens -H 'SVC-API-KEY: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}'`,
  ].join('\n  ')
}

/** Prints what is shown once, if it is new. */
export function saySecrets({ recovery_key, keys }: Secrets): void {
  if (recovery_key !== undefined) {
    say()
    say('Recovery key, shown this once. Keep it: it opens the vault on any machine.')
    say(`  ${recovery_key}`)
  }
  if (keys === undefined) return
  say()
  say('Application keys, shown this once:')
  say(`  management  ${keys.management}`)
  say(`  private     ${keys.private}`)
  say(`  public      ${keys.public}`)
}

/** Prints what somebody who just started Coffer needs next. */
export function banner({
  name,
  state,
  reason,
  url,
  keys,
  recovery_key,
  console,
  faults,
  ready_ms,
  keys_command,
}: Facts): void {
  const vault = state === 'ephemeral' ? 'in memory, gone when Coffer stops' : `vault ${name}`
  say(`Coffer is listening on ${url} (${vault}, ready in ${ready_ms} ms)`)
  saySecrets({ recovery_key, keys })
  if (keys) {
    say()
    say('Store a card as a token:')
    say(`  ${curlLine(url, keys.private)}`)
  } else if (state === 'locked') {
    say(`The vault is locked: ${reason}`)
    say('Unlock it in the window.')
  } else {
    say('Its keys were shown when it was made.')
    if (console !== undefined) say('Make a new one in the window.')
    say(`Make a new one while Coffer is stopped: ${keys_command}`)
  }
  if (console !== undefined) {
    say()
    say(`Open the window in your browser with this link, which works once: ${console}`)
    if (hasTerminal()) say('Press Enter for a fresh link.')
  }
  if (faults !== undefined) {
    say()
    say(`Faults are set. They disturb callers on purpose: ${faults.join(', ')}`)
  }
  say()
  say('Stop with Ctrl-C.')
}
