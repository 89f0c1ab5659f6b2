import { powerMonitor } from 'electron'

/** Locks when nobody is at the computer. Linux reports sleep, but not its lock screen. */
export function watchPower({ leave, wake }: { leave: () => void; wake: () => void }): void {
  // SECURITY: wipe the keys before the computer sleeps or someone else can sit down.
  powerMonitor.on('suspend', leave)
  powerMonitor.on('lock-screen', leave)
  powerMonitor.on('user-did-resign-active', leave)
  // SECURITY: timers stopped in the meantime; the wall clock did not.
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}
