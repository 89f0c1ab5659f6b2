import type { JsonObject } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { toMembers } from '../forms/edit-draft.ts'
import { listChanges } from '../forms/merge-patch.ts'

export type TokenEdit = {
  /** The token as it was when it was first edited. */
  readonly base: Token
  readonly patch: JsonObject
  /** The token as another program has left it, if that changed what is edited here. */
  readonly conflict: Token | null
  /** Why the changes could not be saved. */
  readonly problem: unknown
}

/** The number of changed containers and metadata pairs. */
export function countChanges(edits: readonly TokenEdit[]): number {
  return edits.reduce((sum, { base, patch }) => sum + listEditChanges(base, patch).length, 0)
}

/** The members that an edit changes, with their values before it. */
export function listEditChanges(base: Token, patch: JsonObject) {
  return listChanges(toMembers(base), patch)
}

/** Whether someone else has changed a member that the patch changes, to another value. */
export function hasConflict({ base, patch }: Pick<TokenEdit, 'base' | 'patch'>, current: Token): boolean {
  const expected = new Map(listEditChanges(base, patch).map(({ path, before }) => [path, before]))
  return listEditChanges(current, patch).some(
    ({ path, before }) => JSON.stringify(expected.get(path)) !== JSON.stringify(before),
  )
}
