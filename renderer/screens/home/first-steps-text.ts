import type { HostStatus } from '../../../shared/host.ts'
import type { Json } from '../../../shared/json.ts'
import { curlOf } from '../../parts/api/snippets.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import type { StepName } from '../../parts/vaults/steps.ts'

/** Where each step is taken in the window. */
export function placeOf(step: StepName): string {
  if (step === 'token') return hrefOf('tokens', null, { new: '1' })
  if (step === 'application') return hrefOf('applications', null, { new: '1' })
  if (step === 'proxied_call') return hrefOf('proxies', null, { view: 'try' })
  if (step === 'webhook') return hrefOf('webhooks', null, { new: '1' })
  return hrefOf('settings', 'backups')
}

type Place = Pick<HostStatus, 'listener' | 'settings' | 'vault'>

function baseUrl({ listener, settings }: Place): string {
  return listener.state === 'on' ? listener.url : `http://127.0.0.1:${settings.port || 4747}`
}

/** The first request to send: a test card becomes a token. */
export function firstRequest(place: Place): string {
  return commandOf('token', place)
}

type KeyVariable = 'PRIVATE_KEY' | 'MANAGEMENT_KEY'

const requests = {
  token: {
    path: '/tokens',
    key: 'PRIVATE_KEY',
    body: { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } },
  },
  application: {
    path: '/applications',
    key: 'MANAGEMENT_KEY',
    body: { name: 'Shop', type: 'private', permissions: ['token:create'] },
  },
  proxied_call: {
    path: '/proxy',
    key: 'PRIVATE_KEY',
    // A destination inside Coffer, so that the step needs nothing else.
    headers: { 'SVC-PROXY-URL': 'https://echo.coffer.test/charges' },
  },
  webhook: {
    path: '/webhooks',
    key: 'MANAGEMENT_KEY',
    body: { name: 'Shop', url: 'http://127.0.0.1:3000/events', events: ['token.created'] },
  },
} satisfies Record<
  Exclude<StepName, 'backup'>,
  { path: string; key: KeyVariable; headers?: Record<string, string>; body?: Json }
>

/** The shell variable from which the command of a step takes its key, or null if it needs none. */
export function keyOf(step: StepName): KeyVariable | null {
  return step === 'backup' ? null : requests[step].key
}

/** The command that takes a step in a terminal, with the key in a variable of the shell; `tokenId` is sent through the proxy. */
export function commandOf(step: StepName, place: Place, tokenId: string | null = null): string {
  if (step === 'backup') return `coffer backup${place.vault ? ` --vault ${place.vault.name}` : ''}`
  const { path, key, ...rest } = requests[step]
  const body = step === 'proxied_call' ? { card: `{{ ${tokenId ?? 'TOKEN_ID'} }}` } : requests[step].body
  const curl = curlOf({ method: 'POST', url: `${baseUrl(place)}${path}`, key, ...rest, body })
  // In double quotes, so that the shell puts the key in.
  return curl.replace(`'SVC-API-KEY: ${key}'`, () => `"SVC-API-KEY: $${key}"`)
}
