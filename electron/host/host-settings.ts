import type { HostSettings } from '../../shared/host.ts'
import { readSettingsFile, type SettingsFile, writeSettingsFile } from './files/settings-file.ts'
import { incidentsOf } from './incidents/incidents.ts'

/** The settings in force: the file's, except where the command line says otherwise until the owner changes it. */
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

  /** Writes a change down and puts it in force. Throws `unavailable`, `storage_full`; then nothing changed. */
  change(patch: Partial<HostSettings>): HostSettings {
    const file = this.#read()
    this.#write({ ...file, settings: { ...file.settings, ...patch } })
    this.#overrides = Object.fromEntries(Object.entries(this.#overrides).filter(([name]) => !(name in patch)))
    return this.current
  }

  /** Remembers the vault that was opened last. */
  opened(name: string): void {
    const file = this.#read()
    if (file.last_vault !== name) this.#write({ ...file, last_vault: name })
    this.#file = { ...file, last_vault: name }
  }

  /** Anew each time: another Coffer may have written. */
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
