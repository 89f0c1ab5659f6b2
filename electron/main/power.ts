import { powerMonitor } from 'electron'

/** Locks when nobody is at the computer. Linux tells of sleep, not of its lock screen. */
export function watchPower({ leave, wake }: { leave: () => void; wake: () => void }): void {
  // SECURITY: keys are gone from memory before the computer sleeps or somebody else can sit down.
  powerMonitor.on('suspend', leave)
  powerMonitor.on('lock-screen', leave)
  powerMonitor.on('user-did-resign-active', leave)
  // SECURITY: timers stood still meanwhile; the wall clock did not.
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}
