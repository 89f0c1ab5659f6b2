import { useEffect } from 'react'
import type { TokenSort } from '../../../shared/find.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { keepLoaded, onReturn } from '../../parts/connection/connection-state.ts'
import { onChanges } from '../../parts/connection/session.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { getVaultNow } from '../../ui/time/clock.ts'
import {
  checkGone,
  closeToken,
  isOfDrawer,
  openToken,
  readToken,
  reloadToken,
  useDrawer,
} from './drawer/drawer-store.ts'
import type { Filters } from './list/token-filters.ts'
import {
  applyTokenChanges,
  clearTokens,
  markTokensSeen,
  removeExpired,
  showTokens,
  useTokens,
} from './list/tokens-store.ts'

/** Delay after an expiry, so that the vault's clock has passed it too. */
const EXPIRY_DELAY_MS = 50
/** The longest delay of a browser timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Loads the list, and keeps it up to date. */
export function useTokenRows(filters: Filters, sort: TokenSort, mayRead: boolean): void {
  useEffect(() => {
    if (mayRead) return keepLoaded(() => showTokens(filters, sort))
    clearTokens()
    return undefined
  }, [filters, sort, mayRead])
  useEffect(followCounts, [])
  useEffect(rememberLook, [])
  useEffect(() => (mayRead ? onChanges(applyTokenChanges) : undefined), [mayRead])
  useExpiries()
}

/** Remembers when the list was last looked at: until its screen or the window is left. */
function rememberLook(): () => void {
  const storeTime = () => useTokens.setState({ lookedAt: getVaultNow() })
  const leaveIfHidden = () => document.visibilityState === 'hidden' && storeTime()
  if (useTokens.getState().lookedAt === null) storeTime()
  document.addEventListener('visibilitychange', leaveIfHidden)
  return () => {
    document.removeEventListener('visibilitychange', leaveIfHidden)
    storeTime()
  }
}

/** Loads the token in the drawer, and keeps it up to date. */
export function useDrawerToken(id: string | null, isEditing: boolean): void {
  useEffect(() => {
    if (id === null) return closeToken()
    void openToken(id)
    markTokensSeen([id])
  }, [id])
  useEffect(() => closeToken, [])
  useEffect(() => onReturn(() => id !== null && (isEditing ? checkGone() : readToken(id))), [id, isEditing])
  useEffect(() => {
    let hasMissedChange = false
    const stop = onChanges((changes) => {
      if (!isOfDrawer(changes)) return
      // A form shows the token as it was when the form was opened, so reload only after it is closed.
      if (!isEditing) return reloadToken()
      hasMissedChange = true
      if (changes.some(({ kind }) => kind === 'deleted')) void checkGone()
    })
    return () => {
      stop()
      if (hasMissedChange) reloadToken()
    }
  }, [isEditing])
}

/**
 * Reloads rows and the token in the drawer when they expire, so that no expired token stays on screen. If the
 * vault's clock is behind, the token stays until the vault reports its expiry.
 */
function useExpiries(): void {
  const rows = useTokens((state) => state.rows)
  const drawerToken = useDrawer((drawer) => drawer.token)
  useEffect(() => {
    const times = listExpiries(drawerToken ? [...rows, drawerToken] : rows)
    let timer: ReturnType<typeof setTimeout> | undefined
    function scheduleNext(since: number): void {
      const next = times.reduce((first, { at }) => (at > since ? Math.min(first, at) : first), Infinity)
      if (Number.isFinite(next)) {
        timer = setTimeout(
          () => checkExpired(since),
          Math.min(MAX_TIMER_MS, next - getVaultNow() + EXPIRY_DELAY_MS),
        )
      }
    }
    function checkExpired(since: number): void {
      const now = getVaultNow()
      const due = times.filter(({ at }) => at > since && at <= now).map(({ id }) => id)
      const { id } = useDrawer.getState()
      if (due.length > 0) void removeExpired([...new Set(due)])
      if (id !== null && due.includes(id)) void readToken(id)
      scheduleNext(now)
    }
    scheduleNext(getVaultNow())
    return () => clearTimeout(timer)
  }, [rows, drawerToken])
}

function listExpiries(tokens: readonly Token[]): { readonly id: string; readonly at: number }[] {
  return tokens.flatMap(({ id, expires_at }) =>
    expires_at === undefined ? [] : [{ id, at: Date.parse(expires_at) }],
  )
}
