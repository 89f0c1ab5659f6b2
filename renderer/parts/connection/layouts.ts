import type { HostSettings } from '../../../shared/host.ts'
import { applyLayouts, setLayoutStorage } from '../../ui/grid/layouts.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { host } from './vault.ts'

let known = ''

/** Takes over the columns of lists that the host keeps, if they have changed. */
export function followLayouts({ grids }: HostSettings): void {
  const text = JSON.stringify(grids)
  if (text === known) return
  known = text
  applyLayouts(grids)
}

/** Lets the host keep the columns of lists, for every vault on this machine. */
export function startLayouts(): void {
  setLayoutStorage((grids) => {
    known = JSON.stringify(grids)
    host.host.updateSettings({ grids }).catch(showFailureToast)
  })
}
