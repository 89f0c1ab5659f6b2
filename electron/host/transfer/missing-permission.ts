import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'

/** Returns the error for a key that lacks a permission for a push. `more` adds another possible reason. */
export function createMissingPermissionError(url: string, permission: Permission, more = ''): CofferError {
  return new CofferError(
    'forbidden',
    `The key for ${url} lacks the permission ${permission}${more}. Give it that permission, or use another key. Then run the same command again to resume.`,
  )
}
