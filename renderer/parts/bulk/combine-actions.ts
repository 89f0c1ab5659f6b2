import type { BulkAction, TokenSelection } from '../../../shared/schemas/bulk.ts'

type CombinedAction = {
  readonly action: BulkAction
  readonly selection: TokenSelection
  /** The application that acts; null for the owner. */
  readonly as: string | null
}

/** Combines the selections of two deletions. Null unless both list their tokens and have the same actor. */
export function combineActions(one: CombinedAction, other: CombinedAction): TokenSelection | null {
  const areDeletions = one.action.do === 'delete' && other.action.do === 'delete'
  // SECURITY: an application must not delete with the permissions of the owner or of another application.
  if (!areDeletions || one.as !== other.as) return null
  if (!('ids' in one.selection) || !('ids' in other.selection)) return null
  return { ids: [...new Set([...one.selection.ids, ...other.selection.ids])] }
}
