import type { BulkAction, TokenSelection } from '../../../shared/schemas/bulk.ts'

type CombinedAction = {
  readonly action: BulkAction
  readonly selection: TokenSelection
  /** The application as which it is done; null for the owner. */
  readonly as: string | null
}

/** The tokens of two deletions that become one; null unless both name their tokens and are done by the same caller. */
export function combineActions(one: CombinedAction, other: CombinedAction): TokenSelection | null {
  const areDeletions = one.action.do === 'delete' && other.action.do === 'delete'
  // SECURITY: an application does not delete with the rights of another, or of the owner.
  if (!areDeletions || one.as !== other.as) return null
  if (!('ids' in one.selection) || !('ids' in other.selection)) return null
  return { ids: [...new Set([...one.selection.ids, ...other.selection.ids])] }
}
