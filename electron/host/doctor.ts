import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../shared/errors.ts'
import { formatCount } from '../../shared/format-count.ts'
import { MAX_SEALS, SEALS_DUE } from '../../shared/seals.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { describeIsolation, findIsolation } from '../code-runner/isolation/find-isolation.ts'
import { findOutsideLink } from '../code-runner/links.ts'
import { readPackages } from '../code-runner/packages.ts'
import {
  assertEncrypted,
  describeLoss,
  findLoss,
  migrations,
  readWriteAheadLog,
  resolveDamageError,
  toStorageError,
  type VaultFileContents,
} from '../engine/index.ts'
import { readAuthority } from './authority/authority-record.ts'
import { inspectAuthority } from './authority/lasting-authority.ts'
import { describeStore, findStrays } from './authority/trust-stores.ts'
import { listBackups } from './backups/backup-folder.ts'
import { inDataFolder } from './files/data-folder.ts'
import { describeExposure, withEntries } from './files/exposed.ts'
import { type Header, readHeader } from './files/header.ts'
import { isMissing } from './files/known-vaults.ts'
import { getPackagesFolder } from './files/packages-folder.ts'
import { findStaleTemporaries } from './files/stale-temporaries.ts'
import { getVaultFiles, holdsVault, type VaultFiles, vaultExists } from './files/vault-files.ts'
import { findLockHolder } from './files/vault-lock.ts'
import { getIncidents } from './incidents/incidents.ts'
import { type JobWatch, runInBackground } from './jobs/background.ts'
import { unlockMaster } from './keys/credential.ts'
import { readPersistedTotal } from './keys/persisted-total.ts'

/** The result of one check. `todo` says how to solve a problem. */
export type Finding = {
  readonly about: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly todo?: string
}

type DoctorTarget = {
  readonly dataDir: string
  readonly name: string
  readonly now: number
  /** Formats a command for the user's shell. `coffer …` by default. */
  readonly command?: CommandText
}
type CommandText = (vault: string, ...args: string[]) => string

const formatPlainCommand: CommandText = (_vault, ...args) => ['coffer', ...args].join(' ')

const MB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const CLOCK_SLACK_MS = 5 * 60 * 1000
const PAGE_BYTES = 4096

/**
 * Checks the files, settings and surroundings of a vault for problems. The vault may be locked, or open in any process.
 * Changes nothing. Reads the entire database if the keychain opens it, or if `open`, which returns the master secret,
 * is set. Never rejects: a failure becomes a finding.
 */
export async function diagnoseVault(
  { dataDir, name, now, command = formatPlainCommand }: DoctorTarget,
  open?: () => Promise<Buffer>,
  watch: JobWatch = {},
): Promise<Finding[]> {
  const files = getVaultFiles(dataDir, name)
  const findings: Finding[] = []
  const check = async (about: string, act: () => Finding | Promise<Finding | null>) => {
    try {
      const finding = await act()
      if (finding) findings.push(finding)
    } catch (error) {
      const failure = await resolveDamageError(toStorageError(error, files.folder), files.database)
      findings.push(createFailure(about, failure.message))
    }
  }
  const restore = `as a vault of another name: ${command('<name>', 'restore', '<file>')}`
  try {
    if (!vaultExists(files) || !holdsVault(files.folder)) {
      findings.push(describeAbsence({ dataDir, name, now, command }, files))
      const exposed = findExposed(dataDir, files)
      if (exposed) findings.push(exposed)
      await check('incidents', () => checkIncidents(dataDir))
      await check('authority', () => checkAuthority(dataDir, now))
      return findings
    }
  } catch (error) {
    return [createFailure('vault', toStorageError(error, files.folder).message)]
  }
  let header: Header | undefined
  await check('header', () => {
    header = readHeader(files.header)
    return checkHeader(header)
  })
  await check('file', () => checkFile(files, restore))
  await check('log', () => checkLog(files))
  await check('in use', () => checkHolder(files))
  await check('permissions', () => checkPermissions(dataDir, files))
  await check('clock', () => checkClock(files, header, now))
  await check('disk', () => checkDisk(files))
  await check('backups', () => checkBackups({ dataDir, name, now, command }, { files, header, restore }))
  await check('leftovers', () => checkLeftovers(dataDir))
  await check('packages', () => checkPackages(dataDir))
  await check('code', async () => createOk('code', describeIsolation(await findIsolation())))
  await check('incidents', () => checkIncidents(dataDir))
  await check('authority', () => checkAuthority(dataDir, now))
  const finish = command(name, 'rotate', 'data')
  const formatAcceptLoss = (commits: number) => command(name, 'serve', '--accept-loss', String(commits))
  if (header) await checkInside({ files, header, open, finish, accept: formatAcceptLoss, watch }, check)
  return findings
}

function describeAbsence(
  { dataDir, name, command }: Required<DoctorTarget>,
  { folder }: VaultFiles,
): Finding {
  return isMissing(dataDir, name)
    ? createFailure(
        'vault',
        `The vault ${name} is missing from ${folder}.`,
        `Put its folder back, or restore a backup: ${command(name, 'restore', '<file>')}`,
      )
    : createFailure(
        'vault',
        `There is no vault ${name} in ${dataDir}.`,
        `Create it with: ${command(name, 'init')}`,
      )
}

function checkHeader(header: Header): Finding {
  if (!header.next)
    return createOk('header', `vault.json is intact; the vault is protected by the ${header.protection}.`)
  const text = 'A change of the master secret was interrupted.'
  return createWarning('header', text, 'Open the vault once to finish it.')
}

function checkFile({ database }: VaultFiles, restore: string): Finding {
  const size = getFileSize(database)
  if (size === undefined) {
    return createFailure(
      'file',
      `There is no vault file ${database}.`,
      `Put the file back, or restore a backup ${restore}`,
    )
  }
  const isTruncated = size === 0 || size % PAGE_BYTES !== 0
  if (isTruncated) return createFailure('file', `${database} is cut off.`, `Restore a backup ${restore}`)
  assertEncrypted(database)
  return createOk('file', `vault.db exists, ${Math.ceil(size / 1024)} kB.`)
}

/** Checks the write-ahead log. No key is needed, because the frames of the log carry checksums. */
function checkLog({ folder, database }: VaultFiles): Finding {
  const file = `${database}-wal`
  if (findLockHolder(folder)) return createOk('log', 'The write-ahead log is in use.')
  if (!getFileSize(file)) return createOk('log', 'There is no write-ahead log: every commit is in vault.db.')
  const log = readWriteAheadLog(file)
  const todo = 'Check whether commits are missing: coffer doctor --open. Do not remove the file.'
  if (!log)
    return createWarning('log', 'The first bytes of the write-ahead log are damaged, or it is empty.', todo)
  const readable = `${log.commits} ${log.commits === 1 ? 'commit' : 'commits'} can be read from the write-ahead log`
  if (log.bad_frame === null) return createOk('log', `${readable}.`)
  const behind = `frame ${log.bad_frame} is damaged, and ${log.unusable} ${log.unusable === 1 ? 'commit' : 'commits'} from there on cannot be used`
  if (log.unusable > 1) return createFailure('log', `${readable}; ${behind}.`, todo)
  return createWarning(
    'log',
    `${readable}; ${behind}: a power cut may have interrupted the last write.`,
    todo,
  )
}

function getFileSize(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.size
}

function checkHolder({ folder }: VaultFiles): Finding {
  const holder = findLockHolder(folder)
  if (!holder) return createOk('in use', 'The vault is not open anywhere.')
  const where = holder.url ? `, listening at ${holder.url}` : ''
  return createOk('in use', `The vault is open in ${holder.command} (process ${holder.pid}${where}).`)
}

function checkPermissions(dataDir: string, files: VaultFiles): Finding {
  if (process.platform === 'win32')
    return createOk(
      'permissions',
      'On this system, the permissions of the folder decide who can read the vault.',
    )
  const open = Object.values(files)
    .filter((each) => fs.existsSync(each))
    .filter((each) => (fs.statSync(each).mode & 0o077) !== 0)
  const first = open[0]
  const entries = fs.readdirSync(files.folder).map((each) => path.join(files.folder, each))
  const closed = [dataDir, files.folder, ...entries, `${files.folder}.lock`].filter(isClosed)
  if (closed.length > 0) {
    const text = `You cannot read and write ${closed.join(', ')}.`
    return createFailure('permissions', text, `If they are yours: chmod u+rwX ${closed.join(' ')}`)
  }
  const exposed = findExposed(dataDir, files)
  if (exposed) return exposed
  if (first === undefined) {
    return createOk(
      'permissions',
      'Only you can read the vault, and only you and root can change it and its settings.',
    )
  }
  return createWarning(
    'permissions',
    `Other users can read ${open.join(', ')}.`,
    `Remove their access: chmod go-rwx ${open.join(' ')}`,
  )
}

/**
 * Finds the first file or folder that another user could change, among the vault's own files and those that are read
 * with them (X-68).
 */
function findExposed(dataDir: string, files: VaultFiles): Finding | null {
  const trusted = [dataDir, path.join(dataDir, inDataFolder.settings), getPackagesFolder(dataDir)]
  for (const each of [...trusted, ...withEntries(files.folder)]) {
    const exposure = describeExposure(each)
    if (exposure !== null) return createFailure('permissions', exposure)
  }
  return null
}

/** Returns whether a file or folder exists that this user cannot both read and write. */
function isClosed(file: string): boolean {
  const { R_OK, W_OK, X_OK } = fs.constants
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    if (stat) fs.accessSync(file, stat.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK)
    return false
  } catch {
    return true
  }
}

function checkClock(files: VaultFiles, header: Header | undefined, now: number): Finding {
  const times = [files.database, files.header].map(
    (each) => fs.statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  const latest = Math.max(...times, Date.parse(header?.created_at ?? '') || 0)
  if (latest <= now + CLOCK_SLACK_MS) return createOk('clock', 'File dates are plausible.')
  const text = `The vault was written at ${formatIsoTime(latest)}, which is in the future according to this clock.`
  return createWarning('clock', text, 'Correct the clock, because it decides when tokens expire.')
}

function checkDisk({ folder, database }: VaultFiles): Finding {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const text = `${Math.floor(free / MB)} MB are free.`
  if (free < 10 * MB) return createFailure('disk', text, 'Free some space: the vault cannot grow.')
  // A backup and a new master secret each need the vault's size again, and briefly twice that.
  if (free >= 2 * (getFileSize(database) ?? 0) + 100 * MB) return createOk('disk', text)
  return createWarning(
    'disk',
    text,
    'Free some space: backups and new keys briefly need twice the size of the vault.',
  )
}

function checkBackups(
  { dataDir, name, now, command }: Required<DoctorTarget>,
  { files, header, restore }: { files: VaultFiles; header: Header | undefined; restore: string },
): Finding {
  const all = listBackups(dataDir, name)
  const broken = all.filter((each) => each.problem !== undefined)
  const readable = all.filter((each) => each.vault_id !== undefined)
  // Without the header, the id of the vault is unknown, so all readable backups count as its own.
  const ownBackups = header ? readable.filter((each) => each.vault_id === header.vault_id) : readable
  const [newest] = ownBackups
  const canMake = header !== undefined && getFileSize(files.database) !== undefined
  const make = canMake ? `Create one with: ${command(name, 'backup')}` : 'Look for a copy on another disk.'
  if (!newest?.made_at)
    return createWarning('backups', 'The backup folder holds no backup of this vault.', make)
  const summary = `${formatCount(ownBackups.length, 'backup')}, the last from ${newest.made_at}.`
  if (!header) {
    const [are, one] = ownBackups.length === 1 ? ['it is', 'it'] : ['they are', 'one']
    const text = `${summary} Without vault.json it is unknown whether ${are} from this vault.`
    return createWarning('backups', text, `Restore ${one} ${restore}`)
  }
  const days = Math.floor((now - Date.parse(newest.made_at)) / DAY_MS)
  if (days > 7) return createWarning('backups', `The last backup is ${days} days old.`, make)
  if (broken.length === 0) return createOk('backups', summary)
  const another = `Remove that backup and create a new one: ${command(name, 'backup')}`
  return createWarning('backups', `${summary} ${broken[0]?.problem}`, another)
}

function checkLeftovers(dataDir: string): Finding {
  const leftovers = findStaleTemporaries(dataDir)
  if (leftovers.length === 0) return createOk('leftovers', 'No process has left files behind.')
  const names = leftovers.map((each) => path.basename(each)).join(', ')
  return createWarning(
    'leftovers',
    `Crashed or killed processes left files behind: ${names}.`,
    'They are no longer needed. You may remove them.',
  )
}

/** Checks the lasting authority that `coffer trust` has created. */
async function checkAuthority(dataDir: string, now: number): Promise<Finding | null> {
  const report = await inspectAuthority(dataDir)
  const remove = 'Remove it with: coffer trust --remove'
  if (report?.state === 'incomplete') {
    const text = 'An interrupted command left parts of the lasting authority behind.'
    return createWarning('authority', text, remove)
  }
  const [stray] = await findStrays(readAuthority(dataDir)?.root ?? null)
  if (stray) {
    const text = 'A store of this user trusts a lasting authority that is not in this data folder.'
    const command = stray.map((each) => (/^[\w:/.,-]+$/.test(each) ? each : `'${each}'`)).join(' ')
    return createWarning('authority', text, `If its data folder is gone: ${command}`)
  }
  if (!report) return null
  const { stores, expires_at } = report
  const trusting = stores.filter(({ trusted }) => trusted !== 'no')
  const where =
    trusting.length === 0
      ? 'No store of this user trusts it.'
      : `Trusted by ${trusting.map((each) => `${describeStore(each)}${each.trusted === 'yes' ? '' : ' (not certain)'}`).join(', ')}.`
  const expiry = Date.parse(expires_at ?? '')
  if (expiry <= now)
    return createWarning('authority', `The lasting authority expired at ${expires_at}. ${where}`, remove)
  const text = `The lasting authority of coffer trust is valid until ${expires_at}. ${where}`
  return expiry - now < 7 * DAY_MS
    ? createWarning('authority', text, 'Renew it with: coffer trust --remove && coffer trust')
    : createOk('authority', text)
}

/** Checks the packages that reactor code may require (rule F-03). */
async function checkPackages(dataDir: string): Promise<Finding> {
  const folder = getPackagesFolder(dataDir)
  const { link } = await findOutsideLink(folder)
  if (link === null) {
    const { length } = readPackages(folder)
    if (length === 0) return createOk('packages', 'There are no packages for reactors.')
    return createOk(
      'packages',
      length === 1 ? '1 package is available to reactors.' : `${length} packages are available to reactors.`,
    )
  }
  const text = `The link ${path.join(folder, link)} points outside the packages folder, so no code runs.`
  return createWarning('packages', text, 'Remove it, or replace it with the files it points to.')
}

function checkIncidents(dataDir: string): Finding {
  const { count, since, last, file } = getIncidents(dataDir).readReport()
  if (count === 0) return createOk('incidents', 'No internal errors are recorded.')
  const errors =
    count === 1
      ? `1 internal error, at ${last}`
      : `${count} internal errors since ${since}, the last at ${last}`
  return createWarning(
    'incidents',
    `${errors}: ${file}.`,
    'Attach this file to a bug report, then remove it. It contains no vault data.',
  )
}

type InsideChecks = {
  readonly files: VaultFiles
  readonly header: Header
  readonly open: (() => Promise<Buffer>) | undefined
  /** The command that finishes a data key rotation. */
  readonly finish: string
  /** Formats the command that opens the vault although this many commits are missing. */
  readonly accept: (commits: number) => string
  readonly watch: JobWatch
}

/**
 * Runs the checks that need the master secret: whether it is available and opens the file, and whether every page and
 * data key is sound.
 */
async function checkInside(
  { files: { folder, database }, header, open, finish, accept, watch }: InsideChecks,
  check: (about: string, act: () => Finding | Promise<Finding | null>) => Promise<void>,
): Promise<void> {
  const byKeychain =
    header.protection === 'keychain' ? () => unlockMaster(header, { keychain: true }) : undefined
  const openIt = open ?? byKeychain
  if (!openIt) {
    await check('database', () =>
      createOk('database', 'The contents were not checked, because that needs the passphrase. Use --open.'),
    )
    return
  }
  let master: Buffer | undefined
  await check('key', async () => {
    master = await openIt()
    const opener = open ? 'The passphrase, recovery key or keychain' : 'The keychain'
    return createOk('key', `${opener} opens the vault.`)
  })
  const masterSecret = master
  if (!masterSecret) return
  await check('commits', async () => {
    if (findLockHolder(folder))
      return createOk('commits', 'The vault is open, so its commits were not counted.')
    const { keychain } = header
    const storedTotal = byKeychain && keychain ? await readPersistedTotal(keychain, folder) : undefined
    const { loss, count } = findLoss({ database, master: masterSecret, kept: storedTotal })
    if (loss)
      return createFailure(
        'commits',
        describeLoss(loss),
        `To open the vault anyway, run: ${accept(loss.commits)}`,
      )
    if (!count) return createOk('commits', 'Commit counting starts when the vault is next opened.')
    return createOk('commits', 'No commit is missing.')
  })
  let inside: VaultFileContents | undefined
  await check('database', async () => {
    const { format, ...contents } = await runInBackground(
      'inspect',
      { database, master: masterSecret },
      watch,
    )
    if (format > migrations.length) {
      throw new CofferError('unprocessable', 'The vault was written by a newer Coffer. Install that version.')
    }
    inside = contents
    if (contents.data_keys > 1) {
      const text = 'Every page is sound. A data key rotation is not finished.'
      return createWarning('database', text, `Finish it with: ${finish}`)
    }
    const old =
      format < migrations.length ? ' The vault is backed up and migrated when it is next opened.' : ''
    return createOk('database', `Every page and key is sound, format ${format}.${old}`)
  })
  masterSecret.fill(0)
  const contents = inside
  if (!contents) return
  await check('documents', () => describeDocuments(contents.documents))
  await check('log', () => describeLog(contents.log))
  await check('data key', () => describeSeals(contents.seals, finish))
}

function describeDocuments({ whole: complete, broken }: VaultFileContents['documents']): Finding {
  if (broken > 0) {
    const text = `${broken} of ${formatCount(complete + broken, 'document')} ${broken === 1 ? 'is' : 'are'} incomplete.`
    return createFailure('documents', text, 'Restore a backup in which they are complete.')
  }
  return createOk(
    'documents',
    complete === 0
      ? 'There are no documents.'
      : `${complete === 1 ? 'One is' : `All ${complete} are`} complete.`,
  )
}

function describeLog(log: VaultFileContents['log']): Finding {
  if (!log)
    return createOk(
      'log',
      'The log cannot be verified yet. Its chain of digests starts when the vault is next opened.',
    )
  const { records, unchecked, broken } = log
  if (broken) {
    const where =
      broken.first === broken.last ? `record ${broken.first}` : `records ${broken.first} to ${broken.last}`
    const text = `The log was altered, first at ${where}.`
    return createFailure('log', text, 'Compare it with a backup: records were changed, removed or restored.')
  }
  const rest =
    unchecked === 0
      ? ''
      : ` ${unchecked} cannot be checked: they are older than the chain, or other records of the same write were deleted.`
  return createOk('log', `${records} ${records === 1 ? 'record is' : 'records are'} unaltered.${rest}`)
}

function describeSeals(seals: number, finish: string): Finding {
  const text = `The data key has encrypted about ${seals.toLocaleString('en')} of at most ${MAX_SEALS.toLocaleString('en')} values.`
  return seals < SEALS_DUE
    ? createOk('data key', text)
    : createWarning('data key', text, `Change it with: ${finish}`)
}

function createOk(about: string, text: string): Finding {
  return { about, state: 'ok', text }
}

function createWarning(about: string, text: string, todo: string): Finding {
  return { about, state: 'warn', text, todo }
}

function createFailure(about: string, text: string, todo?: string): Finding {
  return { about, state: 'fail', text, ...(todo !== undefined && { todo }) }
}
