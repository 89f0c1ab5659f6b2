import { type ApplicationType, mayHold, type Permission, permissionNames } from '../../shared/permissions.ts'
import { strings } from '../strings.ts'

type Subject = keyof typeof strings.applications.subjects

export type PermissionGroup = {
  readonly subject: Subject
  readonly name: string
  readonly permissions: readonly Permission[]
}

/** Permissions by what they are about: `token`, `application` and so on. */
export function groupsOf(permissions: readonly Permission[]): PermissionGroup[] {
  const subjects = Object.entries(strings.applications.subjects) as [Subject, string][]
  return subjects
    .map(([subject, name]) => ({
      subject,
      name,
      permissions: permissions.filter((permission) => permission.split(':')[0] === subject),
    }))
    .filter((group) => group.permissions.length > 0)
}

/** What an application of a type may hold at all (rule P-02). */
export function heldBy(type: ApplicationType): Permission[] {
  return permissionNames.filter((permission) => mayHold(type, permission))
}

/** The last word of a permission: `read` of `token:read`. */
export function verbOf(permission: Permission): string {
  return permission.split(':')[1] ?? permission
}
