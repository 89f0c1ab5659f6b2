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

/** The permission that an application lacked. `containers` is null if the request named none. */
export type PermissionRejection = {
  readonly application_id: string
  readonly permission: Permission
  readonly containers: readonly string[] | null
}

/**
 * Returns the missing permission, with the containers it was required on. If any of several permissions
 * would have been enough, returns the first in the order of `permissionNames`.
 */
export function findMissingPermission(
  missing: Missing | undefined,
): { permission: Permission; containers: readonly string[] | null } | null {
  const permission = permissionNames.find((name) => missing?.permissions.includes(name))
  return permission ? { permission, containers: missing?.containers ?? null } : null
}

/** Which application types may have a permission, and which applications do. */
export type PermissionAlternatives = {
  readonly types: readonly ApplicationType[]
  readonly holders: readonly Application[]
}

/** What to use instead of an application whose type can never have a permission (rule P-02); null if it can. */
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

/** Reads from the log record of a 403 which permission the application lacked. Null for any other record. */
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
