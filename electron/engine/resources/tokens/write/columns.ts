import { isObject, type Json } from '../../../../../shared/json.ts'
import { assertJsonSize } from '../../../../../shared/safe-json.ts'
import type { TenantSettings } from '../../../../../shared/settings.ts'
import type { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { DerivedContent, TokenContent } from '../types/content.ts'
import { isDeduplicated } from './duplicate.ts'

/** Whether a token gets a fingerprint (rule T-09). */
export function isFingerprinted(
  settings: TenantSettings,
  content: TokenContent,
  deduplicate_token: boolean | null | undefined,
): boolean {
  return (
    settings.fingerprint_tokens === 'true' ||
    content.fingerprint_expression !== undefined ||
    isDeduplicated(settings, deduplicate_token)
  )
}

/** Returns the columns of a token's content: sealed data, digests and, on request, a fingerprint. */
export function toContentColumns(
  { keyring, work }: Pick<Context, 'keyring' | 'work'>,
  id: string,
  content: TokenContent,
  { fingerprinted, index_values }: DerivedContent,
  with_fingerprint: boolean,
) {
  return {
    data: keyring.sealValue(stringifyData(work, content.data), id, 'data'),
    mask: content.mask === undefined ? null : JSON.stringify(content.mask),
    fingerprint_expression: content.fingerprint_expression ?? null,
    fingerprint: with_fingerprint ? keyring.computeFingerprint(content.type, fingerprinted) : null,
    search_indexes: content.search_indexes ? JSON.stringify(content.search_indexes) : null,
    index_digests:
      index_values.length > 0
        ? Buffer.concat(index_values.map((value) => keyring.computeIndexDigest(value)))
        : null,
  }
}

/**
 * Returns the JSON of the data. Reuses JSON that was serialized for the fingerprint or the search indexes. Throws
 * `invalid` if it is too large.
 */
export function stringifyData(work: WorkBudget, data: Json): string {
  const text = isObject(data) || Array.isArray(data) ? work.stringifyJson(data) : JSON.stringify(data)
  // Checked because repeated patches could make the data larger than any single request.
  assertJsonSize(text, 'data')
  return text
}

/** Returns the columns of a token's containers; the first is the primary one. */
export function toContainerColumns(containers: readonly string[]) {
  return {
    container: containers[0] as string,
    containers: containers.length > 1 ? JSON.stringify(containers) : null,
  }
}
