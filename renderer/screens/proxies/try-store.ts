import type { Exchange } from '../../../shared/schemas/exchange.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { host, vault } from '../../parts/connection/vault.ts'
import { strings } from './strings.ts'

export type TryDraft = {
  /** A proxy's id; null for an ephemeral call to the echo. */
  readonly proxy: string | null
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Null until the user types a path. While it is null, the default for the destination is used. */
  readonly path: string | null
  readonly body: string
}

type TryState = {
  /**
   * An application's key, typed by the owner or created by `createTryKey`. SECURITY: held in memory only
   * until the vault is locked.
   */
  readonly key: string
}

export const useTryState = createVaultStore<TryState>(() => ({ key: '' }))

/** Returns the default path to append to the destination URL; empty if the destination URL already has a path. */
export function suggestPath(destination_url: string | undefined): string {
  const hasPath = destination_url !== undefined && new URL(destination_url).pathname !== '/'
  return hasPath ? '' : '/v1/charges'
}

export type SentCall = Awaited<ReturnType<typeof host.tryProxy>>

/**
 * Calls a proxy as a program would. SECURITY: the response is not shown directly, because a destination may return a
 * token's value. The saved call is shown instead, with such values redacted.
 */
export function sendCall(
  { method, body }: TryDraft,
  { path, proxy_key }: { readonly path: string; readonly proxy_key: string | null },
): Promise<SentCall> {
  return host.tryProxy({
    method,
    path: path === '' || path.startsWith('/') || path.startsWith('?') ? path : `/${path}`,
    key: useTryState.getState().key,
    proxy_key,
    ...(method !== 'GET' && body !== '' && { body }),
  })
}

/** The saved exchange of a call; null if there is none yet. */
export async function findExchange({ trace_id }: Pick<SentCall, 'trace_id'>): Promise<Exchange | null> {
  const [match] = (await vault.exchanges.list({ trace_id })).data
  return match ? vault.exchanges.get({ id: match.id }) : null
}

/** Creates an application that may call proxies, and stores its key for test calls. */
export async function createTryKey(): Promise<void> {
  const { key } = await vault.applications.create({
    name: strings.try.newKeyName,
    type: 'private',
    permissions: ['proxy:invoke', 'token:create'],
  })
  if (key !== undefined) useTryState.setState({ key })
}

export function createTokenBody({ id, type }: { readonly id: string; readonly type: string }): string {
  // Only the number: the card may lack other members, and an expression for a missing member fails.
  const body =
    type === 'card'
      ? { number: `{{ ${id} | json: '$.number' }}`, amount: 1000 }
      : { value: `{{ ${id} }}`, amount: 1000 }
  return JSON.stringify(body, null, 2)
}
