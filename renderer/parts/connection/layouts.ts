import { setLayoutStorage } from '../../ui/grid/layouts.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { host } from './vault.ts'

/** Stores column layouts on the host from now on, for every vault on this machine. */
export function startLayouts(): void {
  setLayoutStorage((grids) => {
    host.updateSettings({ grids }).catch(showFailureToast)
  })
}
