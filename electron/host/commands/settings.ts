import { hostSettings, hostSettingsPatch } from '../../../shared/host/settings.ts'
import { bankImportReport } from '../../../shared/schemas/bank.ts'
import { binImportReport } from '../../../shared/schemas/bin.ts'
import { csvImport } from '../../../shared/schemas/import.ts'
import { z } from '../../../shared/zod.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { importBanks, importBins } from '../transfer/import-directories.ts'
import { defineCommand } from './command.ts'

export const settingsCommands = {
  updateSettings: defineCommand({
    input: hostSettingsPatch,
    output: hostSettings,
    handler: (host, patch) => host.updateSettings(patch),
  }),
  /** Imports accounts into the bank directory. */
  importBanks: defineCommand({
    input: csvImport,
    output: bankImportReport,
    handler: (host, order) => importBanks(requireUnlocked(host.getEngine()), order),
  }),
  /** Imports a BIN file in place of the previous one. */
  importBins: defineCommand({
    input: csvImport,
    output: binImportReport,
    handler: (host, order) => importBins(requireUnlocked(host.getEngine()), order),
  }),
  /**
   * Copies a secret and clears the clipboard after `clears_in_seconds`, on lock and on quit. `copied` is false in a
   * browser, where the page must copy the secret and clear the clipboard itself.
   */
  copySecret: defineCommand({
    input: z.strictObject({ text: z.string().max(1_000_000) }),
    output: z.object({ copied: z.boolean(), clears_in_seconds: z.int().optional() }),
    async handler(host, { text }) {
      const seconds = await host.options.copySecret?.(text)
      return seconds === undefined ? { copied: false } : { copied: true, clears_in_seconds: seconds }
    },
  }),
}
