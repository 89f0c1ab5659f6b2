import { type Permission, permissionNames } from '../../shared/permissions.ts'
import type { LogRecord } from './record.ts'

/** What an application asked for and did not hold; `containers` where it was about some. */
export type Refusal = {
  readonly application_id: string
  readonly permission: Permission
  readonly containers: readonly string[] | null
}

function permissionIn(text: string): Permission | undefined {
  return permissionNames.find((name) => new RegExp(`(^|\\s)${name}(\\s|\\.|$)`).test(text))
}

/** What the sentence of a 403 says was missing: everywhere, or on containers that the sentence does not name. */
export function missingIn(message: string): { permission: Permission; anywhere: boolean } | null {
  const permission = permissionIn(message)
  return permission ? { permission, anywhere: !message.includes(' is not granted on ') } : null
}

/** Reads from a record of a 403 which permission was missing, and on which containers; null for anything else. */
export function refusalOf({ status, actor_type, actor_id, note }: LogRecord): Refusal | null {
  if (status !== 403 || actor_type !== 'application' || actor_id === null || note === null) return null
  const permission = permissionIn(note)
  if (!permission) return null
  const containers = / is not granted on (\/[^;]*)/.exec(note)?.[1]?.split(' ') ?? null
  return { application_id: actor_id, permission, containers }
}
