import { createInvalidError } from '../../../../../shared/errors.ts'
import type { Database } from '../../../db/open.ts'
import { findMerchant } from './store.ts'

/** Checks the member `merchant_id` of a request, if it is set. Throws `invalid` unless it names a merchant (rule Z-03). */
export function requireMerchant(db: Database, merchant_id: string | undefined): void {
  if (merchant_id !== undefined && !findMerchant(db, merchant_id.toLowerCase()))
    throw createInvalidError('merchant_id', 'must be the id of a merchant of this tenant')
}
