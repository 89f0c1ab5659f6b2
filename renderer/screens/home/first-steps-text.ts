import type { HostStatus } from '../../../shared/host/status.ts'
import type { Json } from '../../../shared/json.ts'
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

/** The steps that a request to the listener takes. */
type RequestedStep = Exclude<StepName, 'backup'>

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
  RequestedStep,
  { path: string; key: KeyVariable; headers?: Record<string, string>; body?: Json }
>

/** The environment variable that holds the key for a step's request; null if it needs no key. */
export function getKeyVariable(step: StepName): KeyVariable | null {
  return step === 'backup' ? null : requests[step].key
}

/** The request that takes a step, with the key in an environment variable. `tokenId` is sent through the proxy. */
export function createStepRequest(step: RequestedStep, tokenId: string | null = null) {
  const { key, ...rest } = requests[step]
  const body = step === 'proxied_call' ? { card: `{{ ${tokenId ?? 'TOKEN_ID'} }}` } : requests[step].body
  return { method: 'POST', key: { variable: key }, ...rest, body }
}

export function formatBackupCommand({ vault }: Pick<HostStatus, 'vault'>): string {
  return `coffer backup${vault ? ` --vault ${vault.name}` : ''}`
}
