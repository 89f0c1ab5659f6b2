import { setTimeout as delay } from 'node:timers/promises'
import type { HostStatus, VaultSummary } from '../../shared/host/status.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { toCofferError } from '../engine/index.ts'
import type { CurrentVault } from './current-vault.ts'
import { listMissingVaults } from './files/known-vaults.ts'
import { getVaultFiles, listVaults } from './files/vault-files.ts'
import type { EffectiveSettings } from './host-settings.ts'
import { findKeychainProblem } from './keys/keychain.ts'
import { isEphemeral } from './vault/ephemeral.ts'
import type { OpenVault } from './vault/vault.ts'
import { readVaultSummary } from './vault/vault-summary.ts'

const KEYCHAIN_TIMEOUT_MS = 3000
/** A clock that differs by less was not moved, or was set back. */
const MIN_MOVE_MS = 1000
const UNANSWERED = 'The system keychain has not answered yet.'

type StatusDeps = Pick<HostStatus, 'version' | 'shell'> & {
  readonly dataDir: string
  /** The vault to offer for unlocking, instead of the one opened last. */
  readonly vaultToOffer: string | undefined
  readonly current: CurrentVault
  readonly settings: EffectiveSettings
  /** What other parts of the host contribute. */
  readonly getRest: () => Pick<HostStatus, 'listener' | 'as_hosted' | 'faults'>
  readonly notices: readonly string[]
  readonly onChange: () => void
}

/** Reads the status of the host: its vaults, the open one, and what this machine supports. */
export class StatusReader {
  readonly #deps: StatusDeps
  #lastSeenVaults: readonly VaultSummary[] | null = null
  #lastVault: string | undefined
  #keychain: true | string = UNANSWERED
  #probe: Promise<void> | null = null

  constructor(deps: StatusDeps) {
    this.#deps = deps
    this.#lastVault = deps.vaultToOffer
  }

  /** Returns the full status. A vault or keychain that fails is reported in it, never thrown. */
  async readStatus(): Promise<HostStatus> {
    const { vault } = this.#deps.current
    if (this.#keychain !== true && (!vault || this.#keychain === UNANSWERED)) {
      this.#probe ??= this.#askKeychain()
      // While a vault is open, the status does not wait for the keychain: an event reports the keychain's state later.
      if (!vault) await Promise.race([this.#probe, delay(KEYCHAIN_TIMEOUT_MS, undefined, { ref: false })])
    }
    return this.getStatus()
  }

  /** Returns the status without asking the keychain. */
  getStatus(): HostStatus {
    const { dataDir, version, shell, current, settings, getRest, notices } = this.#deps
    const { vaults, problems } = this.#readVaults()
    const last = this.#lastVault ?? settings.last_vault
    const known = vaults.some(({ name }) => name === last)
    const { vault, lossNotice } = current
    return {
      version,
      shell,
      data_dir: dataDir,
      vaults: [...vaults],
      vault: vault && toVaultStatus(vault, vaults),
      last_vault: known ? last : (vaults[0]?.name ?? null),
      ...getRest(),
      keychain: this.#keychain,
      settings: settings.current,
      notices: [...(lossNotice === null ? [] : [lossNotice]), ...notices, ...problems],
    }
  }

  /** Remembers which vault to offer for unlocking. Throws what saving the settings throws. */
  rememberVault(name: string): void {
    this.#lastVault = name
    this.#deps.settings.rememberLastVault(name)
  }

  /**
   * Lists the vaults of the data folder. While the folder cannot be reached, returns the vaults that were last seen,
   * so that the window does not offer to create a first vault.
   */
  #readVaults(): { vaults: readonly VaultSummary[]; problems: string[] } {
    const { dataDir } = this.#deps
    try {
      this.#lastSeenVaults = listVaults(dataDir).map((name) => readVaultSummary(dataDir, name))
      const problems = listMissingVaults(dataDir).map(
        (name) =>
          `The vault ${name} is missing from ${getVaultFiles(dataDir, name).folder}. Put the folder back, or restore a backup under this name.`,
      )
      return { vaults: this.#lastSeenVaults, problems }
    } catch (error) {
      if (!this.#lastSeenVaults) throw error
      return { vaults: this.#lastSeenVaults, problems: [toCofferError(error).message] }
    }
  }

  async #askKeychain(): Promise<void> {
    const problem = await findKeychainProblem()
    this.#keychain = problem ? problem.message : true
    this.#probe = null
    this.#deps.onChange()
  }
}

function toVaultStatus(vault: OpenVault, vaults: readonly VaultSummary[]): HostStatus['vault'] {
  const { name, engine } = vault
  const storedProtection = vaults.find((each) => each.name === name)?.protection ?? 'passphrase'
  const { tenant_id, clock } = engine
  const moved = vault.controls?.offset_ms ?? 0
  const protection = isEphemeral(vault) ? 'memory' : storedProtection
  return {
    name,
    tenant_id,
    protection,
    now: formatIsoTime(engine.now()),
    ...(Math.abs(moved) >= MIN_MOVE_MS && { clock_moved_ms: moved }),
    ...(clock.ahead && { clock_ahead: clock.ahead }),
  }
}
