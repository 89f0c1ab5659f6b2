import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Outcome } from './push-request.ts'

/** What is said of a key that may not do what a push needs; `more` says what else may be the reason. */
export function missingPermission(url: string, permission: Permission, more = ''): CofferError {
  return new CofferError(
    'forbidden',
    `The key for ${url} lacks the permission ${permission}${more}. Give it that permission, or name another key. Then run the same command again to resume.`,
  )
}

/**
 * What looks at each outcome and throws `problem` once the first `most` of them are all refused with 403. Rules differ
 * by container: one that was taken shows that the key may, and others that were refused are named one by one.
 */
export function unlessAllForbidden(most: number, problem: CofferError): (outcome: Outcome) => void {
  let forbidden = 0
  return (outcome) => {
    if (outcome.as !== 'refused') forbidden = Number.NEGATIVE_INFINITY
    else if (outcome.status === 403 && ++forbidden >= most) throw problem
  }
}
