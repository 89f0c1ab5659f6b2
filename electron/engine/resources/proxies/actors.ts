import type { ProxyActor } from '../../access/actor.ts'
import type { Database } from '../../db/open.ts'
import { findProxyByKey } from './store.ts'

/**
 * Returns the actor for a call of a proxy without an API key (rule G-04); null if the proxy does not exist or
 * requires a key.
 */
export function findActorOfProxy(db: Database, proxy_key: string): ProxyActor | null {
  const row = findProxyByKey(db, proxy_key)
  if (!row || row.require_auth === 1) return null
  return { kind: 'proxy', id: row.id, permissions: [], rules: [], expires_at: null }
}
