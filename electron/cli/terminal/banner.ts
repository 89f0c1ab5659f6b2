import type { Destinations } from '../../../shared/destinations.ts'
import type { AsHosted } from '../../as-hosted/as-hosted.ts'
import type { SeededClientKey } from '../../host/initial-data/seed/apply-seed.ts'
import type { StarterKeys } from '../../host/initial-data/starter-applications.ts'
import { formatCommandLine } from '../hint.ts'
import { hasTerminal } from './prompt.ts'
import { printLine } from './vault-options.ts'

type Secrets = { readonly recovery_key: string | undefined; readonly keys: StarterKeys | undefined }

/** What `coffer serve --as-hosted` prints. */
export type HostedFacts = Pick<AsHosted, 'origins' | 'port' | 'chromium'> & {
  readonly environment: Readonly<Record<string, string>>
  /** A file that sets the environment in a shell. */
  readonly shell_file: string
}

export type BannerInfo = {
  readonly name: string
  readonly state: 'opened' | 'created' | 'ephemeral' | 'locked'
  readonly reason?: string
  readonly url: string
  readonly keys?: StarterKeys
  readonly client_keys?: readonly SeededClientKey[]
  readonly recovery_key?: string
  readonly console?: string
  readonly faults?: readonly string[]
  readonly destinations?: Destinations
  /** What keeps the code of reactors apart from this machine; set while it may run. */
  readonly code_isolation?: string
  readonly as_hosted?: HostedFacts
  readonly ready_ms: number
  readonly keys_command: string
}

/** Returns a curl command that stores a card as a token and prints the token, with the card masked. */
function formatCurlLine(url: string, key: string): string {
  return [
    `curl ${url}/tokens -H 'SVC-API-KEY: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}'`,
  ].join('\n  ')
}

/** Prints new secrets, which are shown only once. */
export function printSecrets({ recovery_key, keys }: Secrets): void {
  if (recovery_key !== undefined) {
    printLine()
    printLine('Recovery key, shown only once. Keep it safe: it opens the vault on any machine.')
    printLine(`  ${recovery_key}`)
  }
  if (keys === undefined) return
  printLine()
  printLine('Application keys, shown only once:')
  printLine(`  management  ${keys.management}`)
  printLine(`  private     ${keys.private}`)
  printLine(`  public      ${keys.public}`)
}

/** Prints the banner of a started server: its URL, keys and next steps. */
export function printBanner({
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
  code_isolation,
  as_hosted,
  ready_ms,
  keys_command,
}: BannerInfo): void {
  const vault = state === 'ephemeral' ? 'in memory, deleted when Coffer stops' : `vault ${name}`
  printLine(`Coffer is listening on ${url} (${vault}, ready in ${ready_ms} ms)`)
  printSecrets({ recovery_key, keys })
  for (const { key_id, public_key_pem } of client_keys) {
    printLine()
    printLine(`Client encryption key ${key_id}, public key shown only once:`)
    printLine(public_key_pem)
  }
  if (keys) {
    printLine()
    printLine('Store a card as a token:')
    printLine(`  ${formatCurlLine(url, keys.private)}`)
  } else if (state === 'locked') {
    printLine(`The vault is locked: ${reason}`)
    printLine('Unlock it in the window.')
  } else {
    printLine('Its keys were shown when it was created.')
    printLine(`Create a new one ${console === undefined ? '' : 'in the window, or '}with: ${keys_command}`)
  }
  if (console !== undefined) {
    printLine()
    printLine(`Open the window in your browser with this link, which works once: ${console}`)
    if (hasTerminal()) printLine('Press Enter for a new link.')
  }
  if (faults !== undefined) {
    printLine()
    printLine(`Faults are active, so some calls fail or are delayed on purpose: ${faults.join(', ')}`)
  }
  if (destinations !== undefined) printDestinations(destinations)
  if (code_isolation !== undefined) {
    printLine()
    printLine('Reactors and code transforms may run. They are programs with network access.')
    printLine(code_isolation)
  }
  if (as_hosted !== undefined) printHosted(as_hosted)
  printLine()
  printLine('Stop with Ctrl-C.')
}

function printHosted({ origins, port, chromium, shell_file }: HostedFacts): void {
  printLine()
  printLine(`These names are answered by HTTPS, on port ${port} of this machine:`)
  printLine(`  ${origins.map((origin) => new URL(origin).host).join(' ')}`)
  printLine('A shell whose programs find them:')
  printLine(`  ${formatCommandLine(['.', shell_file])}`)
  printLine('Chromium finds them with:')
  printLine(`  ${chromium.map((flag) => `'${flag}'`).join(' ')}`)
  if (port === 443) {
    printLine('A line for the hosts file, which leads all programs of this machine here:')
    printLine(`  127.0.0.1 ${origins.map((origin) => new URL(origin).hostname).join(' ')}`)
  }
}

function printDestinations({ allow, map }: Destinations): void {
  printLine()
  if (allow.length > 0) printLine(`Proxies may call, beyond this machine: ${allow.join(', ')}`)
  for (const [from, to] of Object.entries(map)) printLine(`Calls to ${from} go to ${to}`)
}
