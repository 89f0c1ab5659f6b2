import { CofferError } from '../../../shared/errors.ts'
import { hostStatus } from '../../../shared/host/status.ts'
import { z } from '../../../shared/zod.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { readHeader } from '../files/header.ts'
import { requireExistingVault } from '../files/vault-files.ts'
import { createVaultWithData } from '../initial-data/create-vault-with-data.ts'
import { confirmOwner } from '../keys/confirm-owner.ts'
import { deleteVault } from '../vault/delete-vault.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import { createAcceptedLoss, openVault } from '../vault/open-vault.ts'
import { credential, defineAction, defineCommand } from './command.ts'

/** A year: the furthest that one command moves a clock. */
const MAX_ADVANCE_S = 366 * 24 * 60 * 60

export const vaultCommands = {
  status: defineCommand({ output: hostStatus, handler: (host) => host.readStatus() }),
  /**
   * Creates a vault with its starter applications and opens it in place of the current one. The recovery key and the
   * application keys are returned only here. Throws what `createVaultWithData` throws; if it throws, the current vault
   * stays open.
   */
  createVault: defineCommand({
    input: z.strictObject({
      name: z.string(),
      protection: z.union([
        z.strictObject({ keychain: z.literal(true) }),
        z.strictObject({ passphrase: z.string().max(1000) }),
        z.strictObject({ memory: z.literal(true) }),
      ]),
      /** Whether to create sample tokens. */
      sample_data: z.boolean().default(false),
    }),
    output: z.object({
      recovery_key: z.string().optional(),
      keys: z.object({ management: z.string(), private: z.string(), public: z.string() }),
    }),
    handler: (host, { name, protection, sample_data }) =>
      host.current.replaceVault((adopt) =>
        host.jobs.runJob('create vault', async () => {
          try {
            const { vault, ...secrets } = await createVaultWithData({
              ...(!('memory' in protection) && {
                stored: { dataDir: host.options.dataDir, name, protection },
              }),
              engine: host.engineOptions,
              ...(sample_data && {
                samples: (done, total) =>
                  host.events.publish({ type: 'progress', job: 'sample data', done, total }),
              }),
            })
            const then = isEphemeral(vault) ? undefined : 'Unlock the vault, and create a new recovery key.'
            adopt(vault, then)
            return secrets
          } catch (error) {
            host.publishStatus()
            throw error
          }
        }),
      ),
  }),
  /** Opens a vault in place of the current one. Does nothing if it is already open. Throws what `openVault` throws. */
  unlock: defineAction({
    input: z.strictObject({
      name: z.string(),
      with: credential,
      /**
       * Opens the vault although exactly this many acknowledged commits are missing, as reported in `lost_commits`
       * of the error.
       */
      accept_loss: z.int().min(0).optional(),
    }),
    async handler(host, { name, with: entered, accept_loss }) {
      const { dataDir } = host.options
      await host.current.replaceVault(async (adopt) => {
        if (host.hasOpen(name)) return
        const accepted = createAcceptedLoss(accept_loss, host.notices)
        const engine = host.engineOptions
        adopt(await openVault({ dataDir, name, with: entered, engine, accept_loss: accepted }))
        if (host.settings.current.listen_on_unlock && host.listener.state.state !== 'on')
          await host.startListener()
      })
    },
  }),
  lock: defineAction({ handler: (host) => host.lock() }),
  /**
   * Deletes a stored vault, whether it is open or not, and its backups if requested, after the owner has entered a
   * credential that opens it. An open vault is locked first, and stays locked if this throws. `keychain_left` is the
   * number of entries that the keychain did not remove. Throws what `confirmOwner` and `deleteVault` throw.
   */
  deleteVault: defineCommand({
    input: z.strictObject({ name: z.string(), with_backups: z.boolean(), with: credential }),
    output: z.object({ backups_removed: z.int(), backups_kept: z.int(), keychain_left: z.int() }),
    handler(host, { name, with_backups, with: entered }) {
      const { dataDir } = host.options
      return host.current.replaceVault(async () => {
        await confirmOwner(readHeader(requireExistingVault(dataDir, name).header), entered)
        if (host.hasOpen(name)) host.lock()
        try {
          const { keychain_left, ...backups } = await deleteVault({ dataDir, name, with_backups })
          return { ...backups, keychain_left: keychain_left.length }
        } finally {
          host.publishStatus()
        }
      })
    },
  }),
  /**
   * Moves the clock of an in-memory vault: by some seconds, to the next time that something expires, or back to this
   * computer's time. What has expired by then is deleted. Throws `conflict` for a stored vault.
   */
  moveClock: defineAction({
    input: z.union([
      z.strictObject({ advance: z.int().min(1).max(MAX_ADVANCE_S) }),
      z.strictObject({ to: z.enum(['next expiry', 'this computer']) }),
    ]),
    async handler(host, move) {
      const controls = host.openVault?.controls
      if (!controls) throw new CofferError('conflict', 'Only the clock of an in-memory vault can be moved.')
      if ('advance' in move) await controls.moveBy(move.advance)
      else if (move.to === 'next expiry') await controls.moveToNextExpiry()
      else await controls.setNow(host.now())
    },
  }),
  /** Returns an in-memory vault to the state that it had at its start. Throws `conflict` for a stored vault. */
  resetVault: defineAction({
    handler(host) {
      const controls = host.openVault?.controls
      if (!controls) throw new CofferError('conflict', 'Only an in-memory vault can be reset.')
      controls.reset()
      host.faults.resetRules()
    },
  }),
  /** Confirms that a clock far ahead is right, so that overdue data is deleted (case X-45). */
  acceptClock: defineAction({ handler: (host) => requireUnlocked(host.getEngine()).clock.acceptTime() }),
}
