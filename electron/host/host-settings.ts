import type { HostSettings } from '../../shared/host.ts'
import { readSettingsFile, type SettingsFile, writeSettingsFile } from './files/settings-file.ts'
import { incidentsOf } from './incidents/incidents.ts'

/** The effective settings: those of the file, overridden by the command line until the owner changes them. */
export class SettingsInForce {
  readonly #dataDir: string
  readonly #notice: (sentence: string) => void
  #file: SettingsFile
  #overrides: Partial<HostSettings>

  constructor(dataDir: string, overrides: Partial<HostSettings>, notice: (sentence: string) => void) {
    this.#dataDir = dataDir
    this.#notice = notice
    this.#overrides = overrides
    this.#file = this.#read()
  }

  get current(): HostSettings {
    return { ...this.#file.settings, ...this.#overrides }
  }

  get last_vault(): string | null {
    return this.#file.last_vault
  }

  /** Saves and applies a change. Throws `unavailable`, `storage_full`; then nothing changed. */
  change(patch: Partial<HostSettings>): HostSettings {
    const file = this.#read()
    this.#write({ ...file, settings: { ...file.settings, ...patch } })
    this.#overrides = Object.fromEntries(Object.entries(this.#overrides).filter(([name]) => !(name in patch)))
    return this.current
  }

  /** Remembers the vault opened last. */
  opened(name: string): void {
    const file = this.#read()
    if (file.last_vault !== name) this.#write({ ...file, last_vault: name })
    this.#file = { ...file, last_vault: name }
  }

  /** Read afresh each time: another Coffer may have written it. */
  #read(): SettingsFile {
    const { content, notice } = readSettingsFile(this.#dataDir)
    if (notice !== undefined) this.#notice(notice)
    return content
  }

  #write(next: SettingsFile): void {
    try {
      writeSettingsFile(this.#dataDir, next)
    } catch (error) {
      incidentsOf(this.#dataDir).report(error, 'settings')
      throw error
    }
    this.#file = next
  }
}
