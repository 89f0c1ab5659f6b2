import { normalizeContainers } from '../../../../shared/containers.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import { checkMetadata } from '../../../../shared/metadata.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import { Problems } from '../../../../shared/problems.ts'
import type { TokenPatch } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { openData, resolveMask } from '../read/present.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { deriveContent, type TokenContent } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { assertNoSensitiveValues } from '../types/sensitive.ts'
import { requireType, toStoredData, typeRules } from '../types/types.ts'
import { isFingerprinted, toContainerColumns, toContentColumns } from './columns.ts'

/** `undefined` keeps, `null` clears to `cleared`, anything else replaces. */
function patchValue<T, C>(patch: T | null | undefined, before: T | C, cleared: C): T | C {
  if (patch === undefined) return before
  return patch === null ? cleared : patch
}

/** What a member becomes that is given in a patch. */
type MergeFunction = (before: Json, patch: Json) => Json

/**
 * Applies a merge patch to a token's row, or what `merge` makes of it; the result is checked as on creation (rule T-12).
 * Throws `invalid`.
 */
export function buildPatchedRow(
  context: Context,
  before: TokenRow,
  patch: TokenPatch,
  merge: MergeFunction = mergePatch,
): { row: TokenRow; containers: string[] } {
  const { now, actor } = context
  const type = requireType(before.type)
  const problems = new Problems()
  if (patch.data === null) problems.add('data', 'must not be null')
  const data_before = openData(context, before)
  const changes = patch.data ?? null
  const data = changes === null ? data_before : toStoredData(type, merge(data_before, changes))
  const containers =
    problems.attemptCheck(() =>
      patch.containers === undefined
        ? getContainers(before)
        : patch.containers === null
          ? [typeRules[type].container]
          : normalizeContainers(patch.containers, 'containers'),
    ) ?? getContainers(before)
  const metadata = problems.attemptCheck(() => mergeMetadata(before, patch, merge))
  const expires = problems.attemptCheck(() =>
    patch.expires_at === undefined
      ? { at: before.expires_at, text: before.expires_text }
      : patch.expires_at === null
        ? { at: null, text: null }
        : parseExpiresAt(patch.expires_at, now, 'expires_at'),
  )
  const content: TokenContent = {
    type,
    data,
    metadata: metadata ?? patch.metadata ?? {},
    mask: mergeMask(before, data_before, patch, merge),
    fingerprint_expression: patchValue(
      patch.fingerprint_expression,
      before.fingerprint_expression ?? undefined,
      undefined,
    ),
    search_indexes: patchValue(
      patch.search_indexes,
      before.search_indexes === null ? undefined : (JSON.parse(before.search_indexes) as string[]),
      undefined,
    ),
  }
  context.recordPlaintextRead(changes)
  const derived = problems.concludeWith(() => deriveContent(context.work, content))
  assertNoSensitiveValues(type, data, isUuid(before.id) ? undefined : before.id, metadata)
  const row: TokenRow = {
    ...before,
    ...toContainerColumns(containers),
    ...toContentColumns(
      context,
      before.id,
      content,
      derived,
      // A token with a fingerprint keeps one: its creation may have requested deduplication.
      before.fingerprint !== null || isFingerprinted(context.settings, content, patch.deduplicate_token),
    ),
    metadata: metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    expires_at: expires?.at ?? null,
    expires_text: expires?.text ?? null,
    cvc_stored_at: getCvcStoredAt(context, before, patch, data),
    modified_by: getCreatorId(actor),
    modified_at: now,
  }
  return { row, containers }
}

/** Most UUIDs are the vault's own, and one may contain a short account number by chance. */
function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
}

function mergeMetadata(
  before: TokenRow,
  patch: TokenPatch,
  merge: MergeFunction,
): Record<string, string> | undefined {
  const current = before.metadata === null ? {} : (JSON.parse(before.metadata) as Record<string, string>)
  if (patch.metadata === undefined) return current
  if (patch.metadata === null) return undefined
  return checkMetadata(merge(current, patch.metadata), 'metadata')
}

/** A patched mask merges into the one in force; an unpatched default stays the default. */
function mergeMask(before: TokenRow, data: Json, patch: TokenPatch, merge: MergeFunction): Json | undefined {
  if (patch.mask === undefined) return before.mask === null ? undefined : readJson(before.mask)
  return merge(resolveMask(before, data), patch.mask)
}

/** A patch with a cvc starts its retention time over (rule T-15). */
function getCvcStoredAt(
  { now }: Context,
  before: TokenRow,
  { data: patch }: TokenPatch,
  data: Json,
): number | null {
  if (!isTokenType(before.type) || !hasCvc(before.type, data)) return null
  const hasNewCvc = patch !== undefined && hasCvc(before.type, patch)
  return hasNewCvc ? now : before.cvc_stored_at
}
