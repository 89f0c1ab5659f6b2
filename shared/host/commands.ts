import { backupInfo, backupSummary } from '../schemas/backup.ts'
import { bulkAction, bulkReport, selection } from '../schemas/bulk.ts'
import { document, newDocument, TRANSFER_CHUNK_BYTES } from '../schemas/document.ts'
import { faultReport, faultRules } from '../schemas/fault.ts'
import { firstSteps } from '../schemas/first-steps.ts'
import { incidentReport, pageIncident } from '../schemas/incident.ts'
import { reactorTestResult, syntaxProblem, tryReactor } from '../schemas/reactor.ts'
import { restoreCounts } from '../schemas/restore-counts.ts'
import {
  importPreview,
  importSample,
  textImport,
  textImportReport,
  transferFormat,
} from '../schemas/transfer.ts'
import { signingKey } from '../schemas/webhook.ts'
import { z } from '../zod.ts'
import { jobNames } from './events.ts'
import { hostSettings, hostSettingsPatch } from './settings.ts'
import { hostStatus, listenerState } from './status.ts'

const nothing = z.strictObject({})
const file = z.string().min(1).max(4096)
/** The credential that opens a vault. */
const credential = z.union([
  z.strictObject({ keychain: z.literal(true) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
  z.strictObject({ recovery_key: z.string().max(200) }),
])
/** The new protection of a stored vault. */
const protection = z.union([
  z.strictObject({ keychain: z.literal(true) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
])
const newRecoveryKey = z.string().max(200)
const port = z.int().min(0).max(65535)

const requestHeader = z.enum([
  'svc-api-key',
  'bt-api-key',
  'content-type',
  'svc-trace-id',
  'svc-idempotency-key',
  'svc-proxy-key',
  'svc-proxy-url',
])

/** A request to the listener, as a program might send it. */
const listenerRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().max(8000).startsWith('/'),
  headers: z.partialRecord(requestHeader, z.string().max(1000)),
  body: z.string().max(4_000_000).optional(),
})
export type ListenerRequest = z.output<typeof listenerRequest>

const listenerResponse = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  duration_ms: z.number(),
})
export type ListenerResponse = z.output<typeof listenerResponse>

/**
 * Every host command with its input and output. Commands have the same shape as operations, so that one typed client
 * can call both.
 */
const makeHostCommands = () =>
  ({
    host: {
      status: { input: nothing, output: hostStatus },
      /** Creates a vault and opens it. The recovery key and the application keys are returned only here. */
      createVault: {
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
      },
      unlock: {
        input: z.strictObject({
          name: z.string(),
          with: credential,
          /**
           * Opens the vault although exactly this many acknowledged commits are missing, as reported in `lost_commits`
           * of the error.
           */
          accept_loss: z.int().min(0).optional(),
        }),
        output: nothing,
      },
      lock: { input: nothing, output: nothing },
      /**
       * Deletes a stored vault, whether it is open or not, and its backups if requested. An open vault is locked first.
       * `with` is a credential that opens the vault. `keychain_left` is the number of entries that the keychain did not
       * remove.
       */
      deleteVault: {
        input: z.strictObject({ name: z.string(), with_backups: z.boolean(), with: credential }),
        output: z.object({ backups_removed: z.int(), backups_kept: z.int(), keychain_left: z.int() }),
      },
      /** Confirms that a clock far ahead is right, so that overdue data is deleted (case X-45). */
      acceptClock: { input: nothing, output: nothing },
      listenerOn: { input: z.strictObject({ port: port.optional() }), output: listenerState },
      listenerOff: { input: nothing, output: listenerState },
      /** The OpenAPI document of the listener. */
      openApi: { input: nothing, output: z.record(z.string(), z.unknown()) },
      /** Sends a request to the open listener, to show the owner what a program would receive. */
      request: { input: listenerRequest, output: listenerResponse },
      /** The faults that affect callers of the listener, and how many calls each has hit. */
      faults: { input: nothing, output: faultReport },
      setFaults: { input: faultRules, output: faultReport },
      updateSettings: { input: hostSettingsPatch, output: hostSettings },
      /**
       * Copies a secret and clears the clipboard after `clears_in_seconds`, on lock and on quit. `copied` is false in a
       * browser, where the page must copy the secret and clear the clipboard itself.
       */
      copySecret: {
        input: z.strictObject({ text: z.string().max(1_000_000) }),
        output: z.object({ copied: z.boolean(), clears_in_seconds: z.int().optional() }),
      },
      /** Backs up the open vault to `file`, or to a new file among its backups. Job `backup`. */
      backup: {
        input: z.strictObject({ file: file.optional() }),
        output: z.object({ file: z.string(), ...backupInfo.shape }),
      },
      listBackups: {
        input: z.strictObject({ name: z.string().optional() }),
        output: z.object({ backups: z.array(backupSummary) }),
      },
      /**
       * Deletes a backup that `listBackups` returned. `with` is a credential for the backup's vault or, if that vault
       * no longer exists, for the backup. Throws `not_found` for any other file.
       */
      removeBackup: { input: z.strictObject({ file, with: credential }), output: nothing },
      /** Which first steps are done in the open vault, by anyone; `backup` is null for an in-memory vault. */
      firstSteps: { input: nothing, output: firstSteps },
      /** Verifies that a backup is complete; with a credential, also opens and checks its database. Job `verify`. */
      verifyBackup: {
        input: z.strictObject({ file, with: credential.optional() }),
        output: z.object({
          ...backupInfo.shape,
          checked: z.enum(['checksum', 'database']),
          /** With a credential: about how many values the data key has sealed. */
          seals: z.int().optional(),
          /** How many log records the check found unaltered; absent for a backup of an older format. */
          log_records: z.int().optional(),
        }),
      },
      /**
       * Counts the items that were deleted after a backup was made and that restoring it would bring back.
       * `brings_back` is null if the backup's vault does not exist or cannot be opened without a prompt. Job `restore`.
       */
      previewRestore: {
        input: z.strictObject({ file, with: credential }),
        output: z.object({
          brings_back: z.object({ vault: z.string(), ...restoreCounts.shape }).nullable(),
        }),
      },
      /**
       * Creates a vault from a backup with this protection and opens it; the recovery key stays the same. Job
       * `restore`.
       */
      restore: {
        input: z.strictObject({ file, name: z.string(), with: credential, protection }),
        output: nothing,
      },
      /**
       * Reseals everything in the open vault under a new data key while requests are served. An interrupted rotation
       * resumes when the vault is next opened. Job `rotate data key`.
       */
      rotateDataKey: { input: nothing, output: nothing },
      /** About how many values the data key of the open vault has sealed, and whether a rotation is due. */
      dataKey: { input: nothing, output: z.object({ seals: z.int(), is_due: z.boolean() }) },
      /**
       * Creates a recovery key for `rotateMaster`, `changeProtection` or `newRecoveryKey`. The key opens nothing until
       * one of these commands uses it, so the owner can save it first. `needed` says whether `changeProtection` needs a
       * new key. If `with` is set, it is checked, so that a wrong credential is rejected before the owner saves the
       * key.
       */
      draftRecoveryKey: {
        input: z.strictObject({ with: credential.optional() }),
        output: z.object({ recovery_key: z.string(), needed: z.boolean() }),
      },
      /**
       * Creates a new master secret, and with it new database, index and cursor keys and a new recovery key. Writes
       * wait until this is done. `with` is a credential for the open vault: its passphrase, if the vault is protected
       * by one. With `renew_fingerprints`, every fingerprint changes too. Job `rotate master`.
       */
      rotateMaster: {
        input: z.strictObject({
          with: credential,
          recovery_key: newRecoveryKey,
          renew_fingerprints: z.boolean().optional(),
        }),
        output: nothing,
      },
      /**
       * Protects the open vault with the keychain or a new passphrase, under a new master secret. `with` is a
       * credential for the open vault. The recovery key stays the same, unless `draftRecoveryKey` says that a new one
       * is needed. Job `rotate master`.
       */
      changeProtection: {
        input: z.strictObject({ with: credential, protection, recovery_key: newRecoveryKey.optional() }),
        output: nothing,
      },
      /**
       * Replaces the recovery key, under a new master secret; the old one opens only older backups. `with` is a
       * credential for the open vault: its passphrase, if the vault is protected by one. Job `rotate master`.
       */
      newRecoveryKey: {
        input: z.strictObject({ with: credential, recovery_key: newRecoveryKey }),
        output: nothing,
      },
      /** Reads the beginning of a file, so that its columns can be mapped. */
      previewImport: { input: importSample, output: importPreview },
      /**
       * Creates a token from every record of a file's text. If cancelled, the tokens created so far stay. Job `import`.
       */
      importTokens: { input: textImport, output: textImportReport },
      /**
       * Exports the tokens as the text of a file: masked, or as plaintext if the owner confirms with the vault's name
       * and its credential. Job `export`.
       */
      exportTokens: {
        input: z.strictObject({
          format: transferFormat,
          /** Only the tokens of this selection, by the id that `selectTokens` returned. */
          selection: z.uuid().optional(),
          confirm: z.strictObject({ vault: z.string(), with: credential.optional() }).optional(),
        }),
        output: z.object({ text: z.string(), tokens: z.int() }),
      },
      /**
       * Remembers the selected tokens for `exportTokens`, `selectedIds` and `changeTokens`, until the vault is locked
       * or another selection replaces them. Tokens created later are not part of the selection.
       */
      selectTokens: {
        input: z.strictObject({ selection }),
        output: z.object({ selection: z.uuid(), tokens: z.int() }),
      },
      /** The ids of the selected tokens, up to 100,000; throws `too_large` for more. */
      selectedIds: {
        input: z.strictObject({ selection: z.uuid() }),
        output: z.object({ ids: z.array(z.string()) }),
      },
      /**
       * Applies one action to every selected token, as the owner or as an application. Each token is changed by the
       * operation for a single token. A deletion starts after 10 seconds. Cancelling or locking stops the action;
       * changes made until then remain, and the report counts them. Job `selected tokens`.
       */
      changeTokens: {
        input: z.strictObject({
          selection: z.uuid(),
          action: bulkAction,
          as: z.string().max(100).optional(),
        }),
        output: bulkReport,
      },
      /**
       * Runs code from the window, as the owner. Throws `forbidden` while reactors are off, `conflict` if the code has
       * an application and the listener is off, and `invalid` if the args are not valid. Errors of the code itself are
       * in the result.
       */
      tryReactor: { input: tryReactor, output: reactorTestResult },
      /** Ends the run that `tryReactor` started. */
      stopReactor: { input: nothing, output: nothing },
      /**
       * Calls a proxy as a program with this key would, also while the listener is off, and returns the status that the
       * program would get. Without `proxy_key`, calls the echo.
       */
      tryProxy: {
        input: z.strictObject({
          proxy_key: z.string().max(1000).nullable(),
          method: listenerRequest.shape.method,
          path: z
            .string()
            .max(8000)
            .regex(/^(?:[/?]|$)/),
          key: z.string().max(1000),
          body: listenerRequest.shape.body,
        }),
        output: z.object({ status: z.int(), trace_id: z.string() }),
      },
      /**
       * Compiles code in a separate process without running it, also while reactors are off (rule F-01). Returns the
       * syntax problem, or null. Throws `unavailable` if no process could check the code.
       */
      checkCode: {
        input: z.strictObject({ code: z.string().max(200_000) }),
        output: z.object({ problem: syntaxProblem.nullable() }),
      },
      /**
       * The packages that the owner has installed for code to require, with their versions. Throws `invalid` if they
       * cannot be read.
       */
      reactorPackages: {
        input: nothing,
        output: z.object({ packages: z.array(z.object({ name: z.string(), version: z.string() })) }),
      },
      /**
       * Starts the upload of a document from the window, as the owner. Throws `conflict` if too many are in progress.
       */
      beginUpload: { input: newDocument, output: z.object({ upload: z.uuid() }) },
      /**
       * Stores the next chunk of an upload, in base64. Every chunk except the last has `TRANSFER_CHUNK_BYTES` bytes.
       * Send chunks one after the other. The last one creates the document; until then `document` is null. The upload
       * is cancelled by an error, or after a minute without a chunk.
       */
      sendPiece: {
        input: z.strictObject({
          upload: z.uuid(),
          data: z.base64().max(Math.ceil(TRANSFER_CHUNK_BYTES / 3) * 4),
        }),
        output: z.object({ document: document.nullable() }),
      },
      /** Ends an upload and removes its chunks, unless it became a document. */
      endUpload: { input: z.strictObject({ upload: z.uuid() }), output: nothing },
      /** Reveals a document to the owner, and records this in the log. `readPiece` can then return its content once. */
      revealDocument: {
        input: z.strictObject({ id: z.string().max(100) }),
        output: z.object({ document, bytes: z.int(), reading: z.uuid() }),
      },
      /** The next chunk of a revealed document, in base64. Throws `not_found` after the last one. */
      readPiece: {
        input: z.strictObject({ reading: z.uuid() }),
        output: z.object({ data: z.string(), is_last: z.boolean() }),
      },
      /** Whether the current settings allow calls to this URL. Does not resolve its host name. */
      mayCall: {
        input: z.strictObject({ url: z.string().max(2000) }),
        output: z.object({ allowed: z.boolean() }),
      },
      /** The public keys that verify events, the signing one first; creates the key if there is none (rule W-03). */
      signingKeys: { input: nothing, output: z.object({ keys: z.array(signingKey) }) },
      /** Publishes a new key next to the signing key. Throws `conflict` if there already is a new one. */
      beginSigningKeyRotation: { input: nothing, output: nothing },
      /** Signs with the new key and deletes the old one. Throws `conflict` if there is no new one. */
      finishSigningKeyRotation: { input: nothing, output: nothing },
      /** The internal errors, for a bug report. They contain no token data. */
      incidents: { input: nothing, output: incidentReport },
      /** Reports an error of the page, so that it is listed among the incidents. */
      reportPage: { input: pageIncident, output: nothing },
      /** Cancels a job, if it is running. */
      cancel: { input: z.strictObject({ job: z.enum(jobNames) }), output: nothing },
    },
  }) as const
export type HostCommands = ReturnType<typeof makeHostCommands>
export type HostCommandMap = HostCommands['host']
/** What a host command receives and returns, once parsed. */
export type CommandInput<Name extends keyof HostCommandMap> = z.output<HostCommandMap[Name]['input']>
export type CommandOutput<Name extends keyof HostCommandMap> = z.output<HostCommandMap[Name]['output']>

let commands: HostCommands | undefined

/** Returns the host commands. They are created on the first call, because startup does not need them. */
export function getHostCommands(): HostCommands {
  commands ??= makeHostCommands()
  return commands
}
