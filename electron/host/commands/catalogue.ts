import { backupCommands } from './backups.ts'
import { codeCommands } from './code.ts'
import { conformCommands } from './conform.ts'
import { documentCommands } from './documents.ts'
import { keyCommands } from './keys.ts'
import { listenerCommands } from './listener.ts'
import { programCommands } from './program.ts'
import { settingsCommands } from './settings.ts'
import { tokenCommands } from './tokens.ts'
import { vaultCommands } from './vaults.ts'
import { webhookCommands } from './webhooks.ts'

/** Every host command. Commands have the same shape as operations, so that one typed client can call both. */
export const hostCommands = {
  host: {
    ...vaultCommands,
    ...listenerCommands,
    ...settingsCommands,
    ...backupCommands,
    ...keyCommands,
    ...tokenCommands,
    ...codeCommands,
    ...documentCommands,
    ...webhookCommands,
    ...conformCommands,
    ...programCommands,
  },
}
export type HostCommands = typeof hostCommands
