import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'

/** What is said of a key that may not do what a push needs; `more` says what else may be the reason. */
export function missingPermission(url: string, permission: Permission, more = ''): CofferError {
  return new CofferError(
    'forbidden',
    `The key for ${url} lacks the permission ${permission}${more}. Give it that permission, or name another key. Then run the same command again to resume.`,
  )
}
