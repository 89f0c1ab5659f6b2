import { useEffect } from 'react'
import type { Token } from '../../../shared/schemas/token.ts'
import { getVaultNow } from '../../ui/time/clock.ts'
import { readToken, useDrawer } from './drawer/drawer-store.ts'
import { removeExpired, useTokens } from './list/tokens-store.ts'

/** Delay after an expiry, so that the vault's clock has passed it too. */
const EXPIRY_DELAY_MS = 50
/** The longest delay of a browser timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Reloads rows and the token in the drawer when they expire, so that no expired token stays on screen. If the
 * vault's clock is behind, the token stays until the vault reports its expiry.
 */
export function useExpiries(): void {
  const rows = useTokens((state) => state.rows)
  const drawerToken = useDrawer((drawer) => drawer.token)
  useEffect(() => {
    const times = listExpiries(drawerToken ? [...rows, drawerToken] : rows)
    let timer: ReturnType<typeof setTimeout> | undefined
    function scheduleNext(since: number): void {
      const next = Math.min(...times.map(({ at }) => at).filter((at) => at > since))
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
      if (due.length > 0) removeExpired([...new Set(due)])
      if (id !== null && due.includes(id)) readToken(id)
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
