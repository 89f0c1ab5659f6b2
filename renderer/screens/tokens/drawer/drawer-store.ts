import type { EntityChange } from '../../../../shared/entity-changes.ts'
import type { Json } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { getReadClient, useViewAs } from '../../../parts/access/view-as.ts'
import { mayConcern } from '../../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/describe-error.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { useTokens } from '../list/tokens-store.ts'

export const REVEAL_SECONDS = 20

export type DrawerState = {
  readonly id: string | null
  readonly token: Token | null
  readonly problem: unknown
  /** How the application's access was decided, such as `mask, by rule 2 on /pci/ (token:read)`. */
  readonly decision: string | null
  /** SECURITY: plaintext is kept only here, and no longer than `until`. */
  readonly revealed: { readonly data: Json | undefined; readonly until: number } | null
}

const closed: DrawerState = { id: null, token: null, problem: null, decision: null, revealed: null }

export const useDrawer = createVaultStore<DrawerState>(() => closed)

const { getState, setState } = useDrawer
/** Tracks the current token, so that responses for another one are dropped. */
const latestToken = createRequestGuard()
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens a token: shows the list's copy immediately, then the vault's response. */
export async function openToken(id: string): Promise<void> {
  if (getState().id === id) return
  latestToken.start()
  hideData()
  setState({ ...closed, id, token: useTokens.getState().rows.find((row) => row.id === id) ?? null })
  await readToken(id)
}

/** Whether the drawer shows that this token does not exist. */
export function isGone(id: string): boolean {
  const { id: shown, problem } = getState()
  return shown === id && hasCode(problem, 'not_found')
}

/** Reloads the token if the drawer shows it. */
export async function readToken(id: string): Promise<void> {
  if (getState().id !== id) return
  const as = useViewAs.getState().as
  const isCurrent = latestToken.repeat()
  try {
    const token = await getReadClient().tokens.get({ id })
    if (isCurrent()) setState({ token, problem: null })
  } catch (problem) {
    if (isCurrent()) {
      hideData()
      setState({ token: null, problem })
    }
  }
  if (!as) return
  try {
    const { note } = await vault.access.explain({
      application_id: as.id,
      permission: 'token:read',
      token_id: id,
    })
    if (isCurrent()) setState({ decision: note })
  } catch (error) {
    // A token that does not exist has no access decision.
    handleBackgroundError(error)
  }
}

/** Finds out whether the token of a form was deleted. Another change to it waits until the form is closed. */
export async function checkGone(): Promise<void> {
  const { id } = getState()
  if (id === null) return
  const isCurrent = latestToken.join()
  await getReadClient()
    .tokens.get({ id })
    .catch((problem) => {
      if (isCurrent() && hasCode(problem, 'not_found')) setState({ token: null, problem })
    })
}

export function isOfDrawer(changes: readonly EntityChange[]): boolean {
  const { id, token } = getState()
  if (id === null) return false
  // A bulk creation cannot affect a token that already exists.
  const isOther = ({ kind, ids }: EntityChange) => kind === 'created' && ids === 'unnamed' && token !== null
  return changes.some((change) => mayConcern(change, 'token', id) && !isOther(change))
}

/** Reloads the token in the drawer after it was changed or deleted, or has expired. */
export function reloadToken(): void {
  const { id } = getState()
  if (id === null) return
  // The revealed data may be outdated.
  hideData()
  void readToken(id)
}

export function closeToken(): void {
  latestToken.start()
  hideData()
  setState(closed)
}

/** Shows the plaintext for a limited time. The vault records the reveal in the log. */
export async function revealData(): Promise<void> {
  const { id } = getState()
  if (id === null || useViewAs.getState().as) return
  const isCurrent = latestToken.join()
  try {
    const { data } = await vault.tokens.reveal({ id })
    if (!isCurrent()) return
    clearTimeout(timer)
    timer = setTimeout(hideData, REVEAL_SECONDS * 1000)
    setState({ revealed: { data, until: Date.now() + REVEAL_SECONDS * 1000 } })
  } catch (error) {
    showFailureToast(error)
  }
}

export function hideData(): void {
  clearTimeout(timer)
  setState({ revealed: null })
}
