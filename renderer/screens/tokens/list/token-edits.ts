import type { JsonObject } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { getReadClient } from '../../../parts/access/view-as.ts'
import { createOpenCheck, createVaultState, createVaultStore } from '../../../parts/connection/store.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { createUndoPatch, toMembers } from '../forms/edit-draft.ts'
import { createPatch, invertPatch } from '../forms/merge-patch.ts'
import { strings } from '../strings.ts'
import { hasConflict, listEditChanges, type TokenEdit } from './edit-changes.ts'
import { readCurrent, showToken } from './tokens-store.ts'

type TokenEdits = { readonly edits: Readonly<Record<string, TokenEdit>>; readonly isSaving: boolean }

export const useTokenEdits = createVaultStore<TokenEdits>(() => ({ edits: {}, isSaving: false }))

const { getState, setState } = useTokenEdits

/** Changes members of a token, without saving them. A change back to what was there is no change. */
export function editToken(token: Token, members: JsonObject): void {
  const { edits } = getState()
  const base = edits[token.id]?.base ?? token
  const now = toMembers(mergePatch(toMembers(base), edits[token.id]?.patch ?? {}))
  const patch = createPatch(toMembers(base), { ...now, ...members })
  setEdit(token.id, patch === undefined ? null : { base, patch, conflict: null, problem: null })
}

function setEdit(id: string, edit: TokenEdit | null): void {
  setState(({ edits }) => {
    const { [id]: _, ...others } = edits
    return { edits: edit === null ? others : { ...others, [id]: edit } }
  })
}

export function discardEdits(id?: string): void {
  if (id === undefined) setState({ edits: {} })
  else setEdit(id, null)
}

/** Keeps the changes to a token although it was changed meanwhile. */
export function overwriteConflict(id: string): void {
  const { [id]: edit } = getState().edits
  if (edit?.conflict) setEdit(id, { ...edit, base: edit.conflict, conflict: null })
}

/** A row of the list with the unsaved changes to its token. */
export type EditedToken = Token & { readonly edit?: TokenEdit }

type EditedRow = { readonly edit: TokenEdit; readonly row: EditedToken }

const edited = createVaultState(() => new WeakMap<Token, EditedRow>())

/** Applies the unsaved changes to a token. Returns the same object for the same token and changes. */
export function applyEdit(token: Token, edit: TokenEdit | undefined): EditedToken {
  if (!edit) return token
  const before = edited.current.get(token)
  if (before?.edit === edit) return before.row
  const conflict = hasConflict(edit, token) ? token : edit.conflict
  const members = mergePatch(toMembers(token), edit.patch)
  const row: EditedToken = { ...token, ...members, edit: { ...edit, conflict } }
  edited.current.set(token, { edit, row })
  return row
}

/** Saves the changes, token by token. Those that cannot be saved stay, and say why. */
export async function saveEdits(): Promise<void> {
  if (getState().isSaving) return
  setState({ isSaving: true })
  const isOpen = createOpenCheck()
  const saved: { id: string; undo: JsonObject | null; changes: number }[] = []
  for (const [id, edit] of Object.entries(getState().edits)) {
    const before = await saveEdit(id, edit)
    if (!isOpen()) return
    if (before) {
      const changes = listEditChanges(edit.base, edit.patch).length
      saved.push({ id, undo: createUndoPatch(before, edit.patch), changes })
    }
  }
  setState({ isSaving: false })
  const changes = saved.reduce((sum, each) => sum + each.changes, 0)
  if (changes > 0) showToast(strings.edits.saved(changes), { undo: () => undoEdits(saved) })
}

/** Saves the changes to one token. Returns the token as it was before, or null if it could not be saved. */
async function saveEdit(id: string, edit: TokenEdit): Promise<Token | null> {
  try {
    const current = await readCurrent(id)
    if (current && hasConflict(edit, current)) {
      settleEdit(id, edit, { conflict: current })
      return null
    }
    const token = await getReadClient().tokens.update({ ...edit.patch, id })
    await showToken(token, false)
    settleEdit(id, edit, { saved: token })
    return current ?? edit.base
  } catch (problem) {
    settleEdit(id, edit, { problem })
    return null
  }
}

type SaveOutcome =
  | { readonly saved: CreatedToken }
  | { readonly conflict: Token }
  | { readonly problem: unknown }

/** Records the outcome of saving an edit. Keeps what was changed or discarded while it was being saved. */
function settleEdit(id: string, sent: TokenEdit, outcome: SaveOutcome): void {
  const { [id]: now } = getState().edits
  if (!now) return
  if (!('saved' in outcome)) setEdit(id, { ...now, ...outcome })
  else setEdit(id, now === sent ? null : rebaseEdit(now, sent, outcome.saved))
}

/** What is left of an edit after an earlier state of it was saved; null for nothing. */
function rebaseEdit(now: TokenEdit, sent: TokenEdit, saved: CreatedToken): TokenEdit | null {
  const base: Token = { ...saved, created_at: saved.created_at ?? now.base.created_at }
  const reverted = mergePatch(toMembers(base), invertPatch(toMembers(sent.base), sent.patch))
  const patch = createPatch(toMembers(base), toMembers(mergePatch(reverted, now.patch)))
  return patch === undefined ? null : { base, patch, conflict: null, problem: null }
}

async function undoEdits(saved: readonly { readonly id: string; readonly undo: JsonObject | null }[]) {
  const problems: unknown[] = []
  for (const { id, undo } of saved) {
    try {
      if (undo) await showToken(await getReadClient().tokens.update({ ...undo, id }), false)
    } catch (problem) {
      problems.push(problem)
    }
  }
  if (problems.length > 0) throw problems[0]
}
