import type { Missing } from '../../../shared/errors.ts'
import { type Permission, permissionNames } from '../../../shared/permissions.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'

/** The permission an application needed and lacked; `containers` if the request named any. */
export type Refusal = {
  readonly application_id: string
  readonly permission: Permission
  readonly containers: readonly string[] | null
}

/** What was missing: the first permission that would have sufficed, and where. */
export function missingIn(
  missing: Missing | undefined,
): { permission: Permission; containers: readonly string[] | null } | null {
  const permission = permissionNames.find((name) => missing?.permissions.includes(name))
  return permission ? { permission, containers: missing?.containers ?? null } : null
}

/** The permission an application lacked according to the record of a 403, and where; null for any other record. */
export function refusalOf({ actor_type, actor_id, looked_as, missing }: FullLog): Refusal | null {
  const application_id = looked_as ?? (actor_type === 'application' ? actor_id : undefined)
  const found = missingIn(missing)
  return application_id === undefined || !found ? null : { application_id, ...found }
}
