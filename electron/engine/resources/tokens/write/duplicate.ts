import type { TenantSettings } from '../../../../../shared/settings.ts'
import { isTokenType } from '../../../../../shared/token-types.ts'
import type { Context } from '../../../pipeline/context.ts'
import { openData } from '../read/present.ts'
import { findDuplicates, type TokenRow } from '../store.ts'
import { getMetadataPairs } from '../terms/metadata.ts'
import { evaluateFingerprintText } from '../types/content.ts'

/** The maximum number of tokens with the same fingerprint that are checked. */
const MAX_DUPLICATE_CHECKS = 20

/** Whether a token is deduplicated. The request takes precedence over the tenant's setting (rule T-10). */
export function isDeduplicated(
  { deduplicate_tokens }: TenantSettings,
  requested: boolean | null | undefined,
): boolean {
  return requested ?? deduplicate_tokens === 'true'
}

/** Returns the row of the oldest other token with the same type and fingerprint, or undefined (rules T-10, T-13). */
export function findDuplicate(
  context: Context,
  { id, type, fingerprint }: Pick<TokenRow, 'id' | 'type' | 'fingerprint'>,
): TokenRow | undefined {
  if (!fingerprint) return undefined
  const rows = findDuplicates(
    context.db,
    { type, fingerprint, except: id, now: context.now },
    MAX_DUPLICATE_CHECKS,
  )
  for (const row of rows) if (isStillFingerprinted(context, row, fingerprint)) return row
  return undefined
}

/**
 * Whether the current rules still yield a token's stored fingerprint. SECURITY: version 0.1 stored the same fingerprint
 * for every token whose expression yielded nothing, so equal stored fingerprints do not prove that tokens are equal.
 */
function isStillFingerprinted(context: Context, row: TokenRow, fingerprint: Buffer): boolean {
  const { type } = row
  if (!isTokenType(type)) return false
  const content = {
    type,
    data: openData(context, row),
    metadata: Object.fromEntries(getMetadataPairs(row)),
    fingerprint_expression: row.fingerprint_expression ?? undefined,
  }
  try {
    return context.keyring
      .computeFingerprint(type, evaluateFingerprintText(context.work, content))
      .equals(fingerprint)
  } catch (error) {
    // SECURITY: the work limit was reached, so it is not known whether the fingerprints differ.
    if (context.work.remaining < 0) throw error
    // The current rules reject the expression.
    return false
  }
}
