import { hostSettings, hostSettingsPatch } from '../../../shared/host/settings.ts'
import { z } from '../../../shared/zod.ts'
import { defineCommand } from './command.ts'

export const settingsCommands = {
  updateSettings: defineCommand({
    input: hostSettingsPatch,
    output: hostSettings,
    handler: (host, patch) => host.updateSettings(patch),
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
