import type { Entity } from '../door/operation.ts'

/** Every entity a log record can be about, and what it is called (rule O-05). */
export const entityNames: Record<Entity, string> = {
  token: 'Token',
  token_intent: 'Token Intent',
  application: 'Application',
  application_key: 'Application Key',
  session: 'Session',
  tenant: 'Tenant',
  log: 'Log',
  vault: 'Vault',
}
