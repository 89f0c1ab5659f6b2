import type { Entity } from '../../../../shared/entity.ts'

/** The display name of every entity type of log records (rule O-05). */
export const entityNames: Record<Entity, string> = {
  token: 'Token',
  token_intent: 'Token Intent',
  application: 'Application',
  application_key: 'Application Key',
  session: 'Session',
  proxy: 'Proxy',
  document: 'Document',
  reactor: 'Reactor',
  webhook: 'Webhook',
  three_ds_session: '3D Secure Session',
  client_key: 'Client Encryption Key',
  tenant: 'Tenant',
  invitation: 'Invitation',
  log: 'Log',
  vault: 'Vault',
}
