import type { Exchange } from '../../../shared/schemas/exchange.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { host, vault } from '../../parts/connection/vault.ts'
import { strings } from './strings.ts'

export type TryDraft = {
  /** The id of a proxy; null for an ephemeral call of the echo. */
  readonly proxy: string | null
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Null until it is typed: the one that suits the destination. */
  readonly path: string | null
  readonly body: string
}

type TryState = {
  /** SECURITY: typed by the owner or made for them, kept until the vault is locked. */
  readonly key: string
}

export const useTryState = createVaultStore<TryState>(() => ({ key: '' }))

/** The path to try first: none where the destination has one of its own, to which it would be added. */
export function suggestPath(destination_url: string | undefined): string {
  const hasPath = destination_url !== undefined && new URL(destination_url).pathname !== '/'
  return hasPath ? '' : '/v1/charges'
}

/** What came of a call: its status, and its trace id. */
export type SentCall = { readonly status: number; readonly trace_id: string }

const ECHO = 'https://echo.coffer.test'

/**
 * Sends a call through the listener. SECURITY: the answer is not shown from here, because a destination may answer with
 * the value of a token; what is kept of the call has dots in its place.
 */
export async function sendCall(
  { method, body }: TryDraft,
  { path, proxy_key }: { readonly path: string; readonly proxy_key: string | null },
): Promise<SentCall> {
  const trace_id = crypto.randomUUID()
  const { key } = useTryState.getState()
  const hasBody = method !== 'GET' && body !== ''
  const { status } = await host.host.request({
    method,
    path: `/proxy${path === '' || path.startsWith('/') || path.startsWith('?') ? path : `/${path}`}`,
    headers: {
      'svc-trace-id': trace_id,
      ...(key !== '' && { 'svc-api-key': key }),
      ...(proxy_key === null ? { 'svc-proxy-url': ECHO } : { 'svc-proxy-key': proxy_key }),
      ...(hasBody && { 'content-type': isJson(body) ? 'application/json' : 'text/plain' }),
    },
    ...(hasBody && { body }),
  })
  return { status, trace_id }
}

function isJson(text: string): boolean {
  return /^\s*[{["]/.test(text)
}

/** What was kept of a call; null if nothing was, yet. */
export async function findExchange({ trace_id }: SentCall): Promise<Exchange | null> {
  const [match] = (await vault.exchanges.list({ trace_id })).data
  return match ? vault.exchanges.get({ id: match.id }) : null
}

/** Makes an application whose key may call proxies, and keeps the key for trying them. */
export async function createTryKey(): Promise<void> {
  const { key } = await vault.applications.create({
    name: strings.try.newKeyName,
    type: 'private',
    permissions: ['proxy:invoke', 'token:create'],
  })
  if (key !== undefined) useTryState.setState({ key })
}

/** A body that puts this token in. */
export function createTokenBody({ id, type }: { readonly id: string; readonly type: string }): string {
  // The number alone: a member that a card does not have would make the call fail.
  const body =
    type === 'card'
      ? { number: `{{ ${id} | json: '$.number' }}`, amount: 1000 }
      : { value: `{{ ${id} }}`, amount: 1000 }
  return JSON.stringify(body, null, 2)
}
