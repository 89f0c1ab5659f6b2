import { powerMonitor } from 'electron'

/** Locks when nobody is at the computer. Linux reports sleep, but not its lock screen. */
export function watchPower({ onLeave, onWake }: { onLeave: () => void; onWake: () => void }): void {
  // SECURITY: wipe the keys before the computer sleeps or someone else can sit down.
  powerMonitor.on('suspend', onLeave)
  powerMonitor.on('lock-screen', onLeave)
  powerMonitor.on('user-did-resign-active', onLeave)
  // SECURITY: timers do not run during sleep, so check on waking whether the vault should have been locked.
  powerMonitor.on('resume', onWake)
  powerMonitor.on('unlock-screen', onWake)
}
