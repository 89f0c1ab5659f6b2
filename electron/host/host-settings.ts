import type { HostSettings } from '../../shared/host/settings.ts'
import { readSettingsFile, type SettingsFile, writeSettingsFile } from './files/settings-file.ts'
import { getIncidents } from './incidents/incidents.ts'

/**
 * The effective settings: those of the settings file, overridden by those from the command line until the owner
 * changes them.
 */
export class EffectiveSettings {
  readonly #dataDir: string
  readonly #onNotice: (message: string) => void
  #file: SettingsFile
  #overrides: Partial<HostSettings>

  constructor(dataDir: string, overrides: Partial<HostSettings>, onNotice: (message: string) => void) {
    this.#dataDir = dataDir
    this.#onNotice = onNotice
    this.#overrides = overrides
    this.#file = this.#readFile()
  }

  get current(): HostSettings {
    return { ...this.#file.settings, ...this.#overrides }
  }

  get last_vault(): string | null {
    return this.#file.last_vault
  }

  /** Saves and applies a change. Throws `unavailable`, `storage_full`; if it throws, nothing is changed. */
  changeSettings(patch: Partial<HostSettings>): HostSettings {
    const file = this.#readFile()
    this.#writeFile({ ...file, settings: { ...file.settings, ...patch } })
    this.#overrides = Object.fromEntries(Object.entries(this.#overrides).filter(([name]) => !(name in patch)))
    return this.current
  }

  /** Stores the name of the vault that was opened last. */
  rememberLastVault(name: string): void {
    const file = this.#readFile()
    if (file.last_vault !== name) this.#writeFile({ ...file, last_vault: name })
    this.#file = { ...file, last_vault: name }
  }

  /** Reads the file each time, because another Coffer process may have written it. */
  #readFile(): SettingsFile {
    const { content, notice } = readSettingsFile(this.#dataDir)
    if (notice !== undefined) this.#onNotice(notice)
    return content
  }

  #writeFile(next: SettingsFile): void {
    try {
      writeSettingsFile(this.#dataDir, next)
    } catch (error) {
      getIncidents(this.#dataDir).reportError(error, 'settings')
      throw error
    }
    this.#file = next
  }
}
