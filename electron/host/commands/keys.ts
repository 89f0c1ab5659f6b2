import { z } from '../../../shared/zod.ts'
import { credential, defineAction, defineCommand, protection } from './command.ts'

const recoveryKey = z.string().max(200)

export const keyCommands = {
  /**
   * Reseals everything in the open vault under a new data key while requests are served. An interrupted rotation
   * resumes when the vault is next opened. Job `rotate data key`.
   */
  rotateDataKey: defineAction({ handler: (host) => host.maintenance.rotateDataKey() }),
  /** About how many values the data key of the open vault has sealed, and whether a rotation is due. */
  dataKey: defineCommand({
    output: z.object({ seals: z.int(), is_due: z.boolean() }),
    handler: (host) => host.maintenance.getDataKey(),
  }),
  /**
   * Creates a recovery key for `rotateMaster`, `changeProtection` or `newRecoveryKey`. The key opens nothing until one
   * of these commands uses it, so the owner can save it first. `needed` says whether `changeProtection` needs a new
   * key. If `with` is set, it is checked, so that a wrong credential is rejected before the owner saves the key.
   */
  draftRecoveryKey: defineCommand({
    input: z.strictObject({ with: credential.optional() }),
    output: z.object({ recovery_key: z.string(), needed: z.boolean() }),
    handler: (host, input) => host.maintenance.draftRecoveryKey(input),
  }),
  /**
   * Creates a new master secret, and with it new database, index and cursor keys and a new recovery key. Writes wait
   * until this is done. `with` is a credential for the open vault: its passphrase, if the vault is protected by one.
   * With `renew_fingerprints`, every fingerprint changes too. Job `rotate master`.
   */
  rotateMaster: defineAction({
    input: z.strictObject({
      with: credential,
      recovery_key: recoveryKey,
      renew_fingerprints: z.boolean().optional(),
    }),
    handler: (host, input) => host.maintenance.rotateMaster(input),
  }),
  /**
   * Protects the open vault with the keychain or a new passphrase, under a new master secret. `with` is a credential
   * for the open vault. The recovery key stays the same, unless `draftRecoveryKey` says that a new one is needed. Job
   * `rotate master`.
   */
  changeProtection: defineAction({
    input: z.strictObject({ with: credential, protection, recovery_key: recoveryKey.optional() }),
    handler: (host, input) => host.maintenance.changeProtection(input),
  }),
  /**
   * Replaces the recovery key, under a new master secret; the old one opens only older backups. `with` is a credential
   * for the open vault: its passphrase, if the vault is protected by one. Job `rotate master`.
   */
  newRecoveryKey: defineAction({
    input: z.strictObject({ with: credential, recovery_key: recoveryKey }),
    handler: (host, input) => host.maintenance.newRecoveryKey(input),
  }),
}
