import { useEffect } from 'react'
import type { Token } from '../../../shared/schemas/token.ts'
import { vaultNow } from '../../ui/time/clock.ts'
import { readToken, useDrawer } from './drawer/drawer-store.ts'
import { dropExpired, useTokens } from './list/tokens-store.ts'

/** Wait this long after an expiry, so that the vault's clock has passed it too. */
const AFTER_MS = 50
/** The longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Asks the vault about rows and the token in the drawer when they expire, so that nothing expired stays on screen. The
 * vault's clock decides: a token it still has then is removed when the vault reports its expiry.
 */
export function useExpiries(): void {
  const rows = useTokens((state) => state.rows)
  const shown = useDrawer((drawer) => drawer.token)
  useEffect(() => {
    const times = timesOf(shown ? [...rows, shown] : rows)
    let timer: ReturnType<typeof setTimeout> | undefined
    function wait(since: number): void {
      const next = Math.min(...times.map(({ at }) => at).filter((at) => at > since))
      if (Number.isFinite(next)) {
        timer = setTimeout(() => ask(since), Math.min(LONGEST_MS, next - vaultNow() + AFTER_MS))
      }
    }
    function ask(since: number): void {
      const now = vaultNow()
      const due = times.filter(({ at }) => at > since && at <= now).map(({ id }) => id)
      const { id } = useDrawer.getState()
      if (due.length > 0) dropExpired([...new Set(due)])
      if (id !== null && due.includes(id)) readToken(id)
      wait(now)
    }
    wait(vaultNow())
    return () => clearTimeout(timer)
  }, [rows, shown])
}

function timesOf(tokens: readonly Token[]): { readonly id: string; readonly at: number }[] {
  return tokens.flatMap(({ id, expires_at }) =>
    expires_at === undefined ? [] : [{ id, at: Date.parse(expires_at) }],
  )
}
