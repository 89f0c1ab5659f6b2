import type { ProxyActor } from '../access/actor.ts'
import type { Database } from '../db/open.ts'
import { findProxyByKey } from './store.ts'

/** Who calls a proxy without a key (rule G-04); null if there is no such proxy, or if it asks for a key. */
export function findActorOfProxy(db: Database, proxy_key: string): ProxyActor | null {
  const row = findProxyByKey(db, proxy_key)
  if (!row || row.require_auth === 1) return null
  return { kind: 'proxy', id: row.id, permissions: [], rules: [], expires_at: null }
}
