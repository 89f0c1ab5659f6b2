import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { PanelPinContext } from '../../ui/panel-pin.ts'
import { createVaultStore } from '../connection/store.ts'
import { PanelBoundary } from './panel-boundary.tsx'
import type { Screen } from './screens.ts'

/** The pinned row of each screen. */
const usePins = createVaultStore<Partial<Readonly<Record<Screen, string | null>>>>(() => ({}))

/** From this width, a list has room for two panels. */
const WIDE = '(min-width: 1600px)'

/** Pins a row of a screen, and returns whether the window has room for a second panel. */
export function pinRow(screen: Screen, id: string): boolean {
  const isWide = window.matchMedia(WIDE).matches
  if (isWide) usePins.setState({ [screen]: id })
  return isWide
}

type Props = {
  readonly screen: Screen
  /** The open row. */
  readonly id: string | null
  /** Whether a form takes the room of the second panel. */
  readonly form: boolean
  readonly renderPinned: (id: string, onClose: () => void) => ReactNode
  /** The panel of the open row. */
  readonly children: ReactNode
}

/** The panel of the open row and, in a wide window, the one that was pinned to compare it with. */
export function Pinnable({ screen, id, form, renderPinned, children }: Props) {
  const isWide = useMediaQuery(WIDE, false, { getInitialValueInEffect: false })
  const pinned = usePins((pins) => pins[screen] ?? null)
  const setPin = (to: string | null) => usePins.setState({ [screen]: to })
  const isPinned = pinned !== null && pinned === id
  const removePin = () => setPin(null)
  const togglePin = () => setPin(isPinned ? null : id)
  useKeys({ p: togglePin }, isWide && !form && id !== null)
  useKeys({ escape: removePin }, isWide && id === null && pinned !== null)
  if (!isWide || form) return children
  return (
    <>
      {pinned !== null && !isPinned && (
        <PanelPinContext value={{ isPinned: true, onToggle: removePin }}>
          <PanelBoundary at={pinned} onClose={removePin}>
            {renderPinned(pinned, removePin)}
          </PanelBoundary>
        </PanelPinContext>
      )}
      <PanelPinContext value={{ isPinned, onToggle: togglePin }}>{children}</PanelPinContext>
    </>
  )
}
