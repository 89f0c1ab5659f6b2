import type { ClockAhead } from '../../shared/clock-ahead.ts'
import type { HostSettings } from '../../shared/host/settings.ts'
import type { HostStatus } from '../../shared/host/status.ts'
import type { FaultRule } from '../../shared/schemas/fault.ts'
import type { Fork } from '../code-runner/fork.ts'
import type { RequestSummary } from '../http/response-observer.ts'

export type HostOptions = {
  readonly version: string
  readonly shell: HostStatus['shell']
  readonly dataDir: string
  /** The vault to offer for unlocking, instead of the one opened last. */
  readonly vault?: string
  /** Whether to lock an idle vault. */
  readonly autoLock: boolean
  /** Settings from the command line, which override the file's. */
  readonly overrides?: Partial<HostSettings>
  /** The ports of this process's other servers, which a proxy call must not reach. */
  readonly ownPorts?: () => readonly number[]
  /** Copies a secret to a clipboard that clears itself, and returns the seconds until it does. */
  readonly copySecret?: (text: string) => Promise<number>
  /** Returns how processes that run code are started. By default, they run in the Node version of this process. */
  readonly fork?: () => Promise<Fork>
  /** Initial faults. If set, management keys may change faults in a stored vault too. */
  readonly faults?: readonly FaultRule[]
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** How long the window's deletions wait before they start, in ms. 10 seconds by default. */
  readonly undoMs?: number
  /** Called once a vault is locked. */
  readonly onLocked?: () => void
  /** Called with sentences for the owner when the files of the open vault are lost. */
  readonly onLost?: (sentences: string) => void
  /** Called after each response of the listener. */
  readonly onAnswered?: ((answered: RequestSummary) => void) | undefined
  /**
   * Called when the set of deletions held back by a wrong clock has changed, or when the clock was set. Receives null
   * when none is held back (case X-45).
   */
  readonly onClock?: (ahead: ClockAhead | null) => void
}
