import type { HostStatus } from '../../../shared/host/status.ts'
import type { Json } from '../../../shared/json.ts'
import { formatCurl } from '../../parts/api/snippets.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import type { StepName } from '../../parts/vaults/steps.ts'

/** The screen on which a step is taken. */
export function getStepHref(step: StepName): string {
  if (step === 'token') return toHref('tokens', null, { new: '1' })
  if (step === 'application') return toHref('applications', null, { new: '1' })
  if (step === 'proxied_call') return toHref('proxies', null, { view: 'try' })
  if (step === 'webhook') return toHref('webhooks', null, { new: '1' })
  return toHref('settings', 'backups')
}

type FirstStepsStatus = Pick<HostStatus, 'listener' | 'settings' | 'vault'>

function getBaseUrl({ listener, settings }: FirstStepsStatus): string {
  return listener.state === 'on' ? listener.url : `http://127.0.0.1:${settings.port || 4747}`
}

/** The curl command of the first request, which stores a test card. */
export function formatFirstRequest(status: FirstStepsStatus): string {
  return formatStepCommand('token', status)
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
    // The echo destination is part of Coffer, so the step needs no network.
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

/** The shell variable that holds the key for a step's command; null if it needs no key. */
export function getKeyVariable(step: StepName): KeyVariable | null {
  return step === 'backup' ? null : requests[step].key
}

/** The terminal command for a step, with the key in a shell variable. `tokenId` is sent through the proxy. */
export function formatStepCommand(
  step: StepName,
  status: FirstStepsStatus,
  tokenId: string | null = null,
): string {
  if (step === 'backup') return `coffer backup${status.vault ? ` --vault ${status.vault.name}` : ''}`
  const { path, key, ...rest } = requests[step]
  const body = step === 'proxied_call' ? { card: `{{ ${tokenId ?? 'TOKEN_ID'} }}` } : requests[step].body
  const curl = formatCurl({ method: 'POST', url: `${getBaseUrl(status)}${path}`, key, ...rest, body })
  // Double quotes, so that the shell expands the variable.
  return curl.replace(`'SVC-API-KEY: ${key}'`, () => `"SVC-API-KEY: $${key}"`)
}
