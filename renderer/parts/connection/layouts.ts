import type { HostSettings } from '../../../shared/host/settings.ts'
import { applyLayouts, setLayoutStorage } from '../../ui/grid/layouts.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { host } from './vault.ts'

let currentLayouts = ''

/** Applies the column layouts stored on the host, if they changed. */
export function followLayouts({ grids }: HostSettings): void {
  const text = JSON.stringify(grids)
  if (text === currentLayouts) return
  currentLayouts = text
  applyLayouts(grids)
}

/** Stores column layouts on the host from now on, for every vault on this machine. */
export function startLayouts(): void {
  setLayoutStorage((grids) => {
    currentLayouts = JSON.stringify(grids)
    host.updateSettings({ grids }).catch(showFailureToast)
  })
}
