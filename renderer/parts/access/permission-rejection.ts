import type { Missing } from '../../../shared/errors.ts'
import {
  type ApplicationType,
  applicationTypes,
  mayHold,
  type Permission,
  permissionNames,
} from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'

/** The permission an application needed and lacked; `containers` if the request named any. */
export type PermissionRejection = {
  readonly application_id: string
  readonly permission: Permission
  readonly containers: readonly string[] | null
}

/** What was missing: the first permission that would have sufficed, and where. */
export function findMissingPermission(
  missing: Missing | undefined,
): { permission: Permission; containers: readonly string[] | null } | null {
  const permission = permissionNames.find((name) => missing?.permissions.includes(name))
  return permission ? { permission, containers: missing?.containers ?? null } : null
}

/** Who else can do what applications of a type never can: the types that may be allowed it, and applications that are. */
export type PermissionAlternatives = {
  readonly types: readonly ApplicationType[]
  readonly holders: readonly Application[]
}

/**
 * Who else holds a permission that no rule can grant to applications of this type (rule P-02); null if a rule can.
 */
export function findAlternatives(
  type: ApplicationType,
  permission: Permission,
  applications: readonly Application[],
): PermissionAlternatives | null {
  if (mayHold(type, permission)) return null
  const types = applicationTypes.filter((each) => mayHold(each, permission))
  const holders = applications.filter(
    (each) =>
      types.includes(each.type) &&
      (each.permissions.includes(permission) ||
        (each.rules ?? []).some(({ permissions }) => permissions.includes(permission))),
  )
  return { types, holders }
}

/** The permission an application lacked according to the record of a 403, and where; null for any other record. */
export function findRejection({
  actor_type,
  actor_id,
  looked_as,
  missing,
}: FullLog): PermissionRejection | null {
  const application_id = looked_as ?? (actor_type === 'application' ? actor_id : undefined)
  const missingPermission = findMissingPermission(missing)
  return application_id === undefined || !missingPermission ? null : { application_id, ...missingPermission }
}
