import fs from 'node:fs'
import path from 'node:path'
import { counted } from '../../shared/counted.ts'
import { CofferError } from '../../shared/errors.ts'
import { MOST_SEALS, SEALS_DUE } from '../../shared/seals.ts'
import { isoTime } from '../../shared/time.ts'
import { migrations } from '../engine/db/migrations.ts'
import { refusePlain } from '../engine/db/open.ts'
import { damageOrDisk, storageError } from '../engine/db/storage-error.ts'
import { readWriteAheadLog } from '../engine/db/write-ahead-log.ts'
import { findLoss, lossSentence } from '../engine/files/find-loss.ts'
import type { Contents } from '../engine/files/inspect-file.ts'
import { lookThrough } from '../reactors/links.ts'
import { packagesIn } from '../reactors/packages.ts'
import { listBackups } from './backups/backup-folder.ts'
import { claimantOf } from './files/claim.ts'
import { inDataFolder } from './files/data-folder.ts'
import { describeExposure, withEntries } from './files/exposed.ts'
import { type Header, readHeader } from './files/header.ts'
import { isMissing } from './files/known-vaults.ts'
import { packagesOf } from './files/packages-folder.ts'
import { staleTemporaries } from './files/stale-temporaries.ts'
import { holdsVault, type VaultFiles, vaultExists, vaultFiles } from './files/vault-files.ts'
import { incidentsOf } from './incidents/incidents.ts'
import { masterOf } from './keys/credential.ts'
import { readKeptTotal } from './keys/kept-total.ts'
import { inBackground, type Watch } from './work/background.ts'

/** The result of one check; `todo` says what to do about a problem. */
export type Finding = {
  readonly about: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly todo?: string
}

type Place = {
  readonly dataDir: string
  readonly name: string
  readonly now: number
  /** Formats a command as it is typed here; `coffer …` by default. */
  readonly command?: CommandText
}
type CommandText = (vault: string, ...words: string[]) => string

const plain: CommandText = (_vault, ...words) => ['coffer', ...words].join(' ')

const MB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const CLOCK_SLACK_MS = 5 * 60 * 1000
const PAGE = 4096

/**
 * Checks everything around a vault that can go wrong, open elsewhere or locked, and changes nothing. Reads the whole
 * database if the keychain opens it, or `open`, which returns the master secret. Never rejects: a failure is a
 * finding.
 */
export async function examine(
  { dataDir, name, now, command = plain }: Place,
  open?: () => Promise<Buffer>,
  watch: Watch = {},
): Promise<Finding[]> {
  const files = vaultFiles(dataDir, name)
  const findings: Finding[] = []
  const look = async (about: string, act: () => Finding | Promise<Finding>) => {
    try {
      findings.push(await act())
    } catch (error) {
      const failure = await damageOrDisk(storageError(error, files.folder), files.database)
      findings.push(fail(about, failure.message))
    }
  }
  const restore = `as a vault of another name: ${command('<name>', 'restore', '<file>')}`
  try {
    if (!vaultExists(files) || !holdsVault(files.folder)) {
      findings.push(
        isMissing(dataDir, name)
          ? fail(
              'vault',
              `The vault ${name} is gone from ${files.folder}.`,
              `Put it back, or restore a backup: ${command(name, 'restore', '<file>')}`,
            )
          : fail(
              'vault',
              `There is no vault ${name} in ${dataDir}.`,
              `Create it with: ${command(name, 'init')}`,
            ),
      )
      const exposed = findExposed(dataDir, files)
      if (exposed) findings.push(exposed)
      await look('incidents', () => lookAtIncidents(dataDir))
      return findings
    }
  } catch (error) {
    return [fail('vault', storageError(error, files.folder).message)]
  }
  let header: Header | undefined
  await look('header', () => {
    header = readHeader(files.header)
    return lookAtHeader(header)
  })
  await look('file', () => lookAtFile(files, restore))
  await look('log', () => lookAtLog(files))
  await look('in use', () => lookAtHolder(files))
  await look('permissions', () => lookAtPermissions(dataDir, files))
  await look('clock', () => lookAtClock(files, header, now))
  await look('disk', () => lookAtDisk(files))
  await look('backups', () => lookAtBackups({ dataDir, name, now, command }, { files, header, restore }))
  await look('leftovers', () => lookAtLeftovers(dataDir))
  await look('packages', () => lookAtPackages(dataDir))
  await look('incidents', () => lookAtIncidents(dataDir))
  const finish = command(name, 'rotate', 'data')
  const accept = (commits: number) => command(name, 'serve', '--accept-loss', String(commits))
  if (header) await lookInside({ files, header, open, finish, accept, watch }, look)
  return findings
}

function lookAtHeader(header: Header): Finding {
  if (!header.next)
    return ok('header', `vault.json is intact; the vault is protected by the ${header.protection}.`)
  const text = 'A change of the master secret was interrupted.'
  return warn('header', text, 'Open the vault once to finish it.')
}

function lookAtFile({ database }: VaultFiles, restore: string): Finding {
  const size = sizeOf(database)
  if (size === undefined) {
    return fail('file', `There is no vault file ${database}.`, `Put it back, or restore a backup ${restore}`)
  }
  const isCut = size === 0 || size % PAGE !== 0
  if (isCut) return fail('file', `${database} is cut off.`, `Restore a backup ${restore}`)
  refusePlain(database)
  return ok('file', `vault.db is there, ${Math.ceil(size / 1024)} kB.`)
}

/** What the write-ahead log holds, which needs no key: its frames carry checksums. */
function lookAtLog({ folder, database }: VaultFiles): Finding {
  const file = `${database}-wal`
  if (claimantOf(folder)) return ok('log', 'The write-ahead log is in use.')
  if (!sizeOf(file)) return ok('log', 'There is no write-ahead log: every commit is in vault.db.')
  const log = readWriteAheadLog(file)
  const todo = 'Check it against the count of commits: coffer doctor --open. Do not remove the file.'
  if (!log) return warn('log', 'The first bytes of the write-ahead log are damaged, or it is empty.', todo)
  const readable = `${log.commits} ${log.commits === 1 ? 'commit' : 'commits'} can be read from the write-ahead log`
  if (log.bad_frame === null) return ok('log', `${readable}.`)
  const behind = `frame ${log.bad_frame} is damaged, and ${log.unusable} ${log.unusable === 1 ? 'commit' : 'commits'} from there on cannot be used`
  if (log.unusable > 1) return fail('log', `${readable}; ${behind}.`, todo)
  return warn('log', `${readable}; ${behind}: a power cut may have interrupted it.`, todo)
}

/** The bytes of a file; undefined where there is none. */
function sizeOf(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.size
}

function lookAtHolder({ folder }: VaultFiles): Finding {
  const holder = claimantOf(folder)
  if (!holder) return ok('in use', 'The vault is not open anywhere.')
  const where = holder.url ? `, listening at ${holder.url}` : ''
  return ok('in use', `The vault is open in ${holder.command} (process ${holder.pid}${where}).`)
}

function lookAtPermissions(dataDir: string, files: VaultFiles): Finding {
  if (process.platform === 'win32')
    return ok('permissions', 'On this system, the permissions of the folder decide who can read the vault.')
  const open = Object.values(files)
    .filter((each) => fs.existsSync(each))
    .filter((each) => (fs.statSync(each).mode & 0o077) !== 0)
  const first = open[0]
  const within = fs.readdirSync(files.folder).map((each) => path.join(files.folder, each))
  const closed = [dataDir, files.folder, ...within, `${files.folder}.lock`].filter(isClosed)
  if (closed.length > 0) {
    const text = `You cannot read and write ${closed.join(', ')}.`
    return fail('permissions', text, `If they are yours: chmod u+rwX ${closed.join(' ')}`)
  }
  const exposed = findExposed(dataDir, files)
  if (exposed) return exposed
  if (first === undefined) {
    return ok(
      'permissions',
      'Only you can read the vault, and only you and root can change it and its settings.',
    )
  }
  return warn(
    'permissions',
    `Others can read ${open.join(', ')}.`,
    `Remove their access: chmod go-rwx ${open.join(' ')}`,
  )
}

/** What somebody else could change of a vault and of what is read with it (X-68). */
function findExposed(dataDir: string, files: VaultFiles): Finding | null {
  const trusted = [dataDir, path.join(dataDir, inDataFolder.settings), packagesOf(dataDir)]
  for (const each of [...trusted, ...withEntries(files.folder)]) {
    const exposure = describeExposure(each)
    if (exposure !== null) return fail('permissions', exposure)
  }
  return null
}

/** Whether an existing file or folder cannot be read and written. */
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

function lookAtClock(files: VaultFiles, header: Header | undefined, now: number): Finding {
  const times = [files.database, files.header].map(
    (each) => fs.statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  const latest = Math.max(...times, Date.parse(header?.created_at ?? '') || 0)
  if (latest <= now + CLOCK_SLACK_MS) return ok('clock', 'No file is dated in the future.')
  const text = `The vault was written at ${isoTime(latest)}, which is in the future according to this clock.`
  return warn('clock', text, 'Set the clock: tokens expire by it.')
}

function lookAtDisk({ folder, database }: VaultFiles): Finding {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const text = `${Math.floor(free / MB)} MB are free.`
  if (free < 10 * MB) return fail('disk', text, 'Free some space: the vault cannot grow.')
  // A backup and a new master secret each need the size of the vault again, and briefly twice that.
  if (free >= 2 * (sizeOf(database) ?? 0) + 100 * MB) return ok('disk', text)
  return warn('disk', text, 'Free some space: backups and new keys need twice the size of the vault.')
}

function lookAtBackups(
  { dataDir, name, now, command }: Required<Place>,
  { files, header, restore }: { files: VaultFiles; header: Header | undefined; restore: string },
): Finding {
  const all = listBackups(dataDir, name)
  const broken = all.filter((each) => each.problem !== undefined)
  const whole = all.filter((each) => each.vault_id !== undefined)
  // A vault without its header cannot say which are its own.
  const mine = header ? whole.filter((each) => each.vault_id === header.vault_id) : whole
  const [newest] = mine
  const canMake = header !== undefined && sizeOf(files.database) !== undefined
  const make = canMake ? `Create one with: ${command(name, 'backup')}` : 'Look for a copy elsewhere.'
  if (!newest?.made_at) return warn('backups', 'The backup folder holds no backup of this vault.', make)
  const found = `${counted(mine.length, 'backup')}, the last from ${newest.made_at}.`
  if (!header) {
    const [are, one] = mine.length === 1 ? ['it is', 'it'] : ['they are', 'one']
    const text = `${found} Without vault.json nobody can say whether ${are} of this vault.`
    return warn('backups', text, `Restore ${one} ${restore}`)
  }
  const days = Math.floor((now - Date.parse(newest.made_at)) / DAY_MS)
  if (days > 7) return warn('backups', `The last backup is ${days} days old.`, make)
  if (broken.length === 0) return ok('backups', found)
  const another = `Remove it and make a new one: ${command(name, 'backup')}`
  return warn('backups', `${found} ${broken[0]?.problem}`, another)
}

function lookAtLeftovers(dataDir: string): Finding {
  const left = staleTemporaries(dataDir)
  if (left.length === 0) return ok('leftovers', 'No process has left files behind.')
  const what = left.map((each) => path.basename(each)).join(', ')
  return warn(
    'leftovers',
    `Processes that ended early left files behind: ${what}.`,
    'They are no longer needed. You may remove them.',
  )
}

/** The packages that code of reactors may require (rule F-03). */
async function lookAtPackages(dataDir: string): Promise<Finding> {
  const folder = packagesOf(dataDir)
  const { link } = await lookThrough(folder)
  if (link === null) {
    const { length } = packagesIn(folder)
    if (length === 0) return ok('packages', 'There are no packages for reactors.')
    return ok('packages', `Reactors may require ${length === 1 ? '1 package' : `${length} packages`}.`)
  }
  const text = `The link ${path.join(folder, link)} leads out of the packages of reactors, so no code runs.`
  return warn('packages', text, 'Remove it, or replace it by what it leads to.')
}

function lookAtIncidents(dataDir: string): Finding {
  const { count, since, last, file } = incidentsOf(dataDir).look()
  if (count === 0) return ok('incidents', 'No internal errors are recorded.')
  const errors =
    count === 1
      ? `1 internal error, at ${last}`
      : `${count} internal errors since ${since}, the last at ${last}`
  return warn(
    'incidents',
    `${errors}: ${file}.`,
    'Report them with this file, which holds no data, then remove it.',
  )
}

type Inside = {
  readonly files: VaultFiles
  readonly header: Header
  readonly open: (() => Promise<Buffer>) | undefined
  /** The command that finishes a change of the data key. */
  readonly finish: string
  /** What to type to open the vault without this many commits. */
  readonly accept: (commits: number) => string
  readonly watch: Watch
}

/** The checks that need a key: that it can be found, that it opens the file, that every page and data key is sound. */
async function lookInside(
  { files: { folder, database }, header, open, finish, accept, watch }: Inside,
  look: (about: string, act: () => Finding | Promise<Finding>) => Promise<void>,
): Promise<void> {
  const byKeychain = header.protection === 'keychain' ? () => masterOf(header, { keychain: true }) : undefined
  const openIt = open ?? byKeychain
  if (!openIt) {
    await look('database', () =>
      ok('database', 'Its contents were not checked: that needs the passphrase. Use --open.'),
    )
    return
  }
  let master: Buffer | undefined
  await look('key', async () => {
    master = await openIt()
    const what = open ? 'The passphrase, recovery key or keychain' : 'The keychain'
    return ok('key', `${what} opens the vault.`)
  })
  const found = master
  if (!found) return
  await look('commits', async () => {
    if (claimantOf(folder)) return ok('commits', 'The vault is open, so its commits were not counted.')
    const { keychain } = header
    const kept = byKeychain && keychain ? await readKeptTotal(keychain, folder) : undefined
    const { loss, count } = findLoss({ database, master: found, kept })
    if (loss)
      return fail('commits', lossSentence(loss), `To open it all the same, run: ${accept(loss.commits)}`)
    if (!count) return ok('commits', 'The commits of this vault are counted from its next opening on.')
    return ok('commits', 'Every counted commit is there.')
  })
  let inside: Contents | undefined
  await look('database', async () => {
    const { format, ...contents } = await inBackground('inspect', { database, master: found }, watch)
    if (format > migrations.length) {
      throw new CofferError('unprocessable', 'The vault was written by a newer Coffer. Install that version.')
    }
    inside = contents
    if (contents.data_keys > 1) {
      const text = 'Every page is sound. A change of the data key is not finished.'
      return warn('database', text, `Finish it with: ${finish}`)
    }
    const old = format < migrations.length ? ' It is migrated, after a backup, when it is next opened.' : ''
    return ok('database', `Every page and key is sound, format ${format}.${old}`)
  })
  found.fill(0)
  const contents = inside
  if (!contents) return
  await look('documents', () => findingOfDocuments(contents.documents))
  await look('log', () => findingOfLog(contents.log))
  await look('data key', () => findingOfSeals(contents.seals, finish))
}

function findingOfDocuments({ whole, broken }: Contents['documents']): Finding {
  if (broken > 0) {
    const text = `${broken} of ${counted(whole + broken, 'document')} ${broken === 1 ? 'lacks a part of its' : 'lack a part of their'} content.`
    return fail('documents', text, 'Restore a backup that has them whole.')
  }
  return ok(
    'documents',
    whole === 0 ? 'There are none.' : `${whole === 1 ? 'One is' : `All ${whole} are`} whole.`,
  )
}

function findingOfLog(log: Contents['log']): Finding {
  if (!log) return ok('log', 'The log has no chain yet: it begins when the vault is next opened.')
  const { records, unchecked, broken } = log
  if (broken) {
    const where =
      broken.first === broken.last ? `record ${broken.first}` : `records ${broken.first} to ${broken.last}`
    const text = `The log is not as Coffer wrote it, first at ${where}.`
    return fail('log', text, 'Compare it with a backup: records were altered, removed or put back.')
  }
  const rest =
    unchecked === 0
      ? ''
      : ` ${unchecked} cannot be checked: they are older, or others of their write are gone.`
  return ok(
    'log',
    `${records} ${records === 1 ? 'record is as it was' : 'records are as they were'} written.${rest}`,
  )
}

function findingOfSeals(seals: number, finish: string): Finding {
  const text = `The data key has sealed about ${seals.toLocaleString('en')} of at most ${MOST_SEALS.toLocaleString('en')} values.`
  return seals < SEALS_DUE ? ok('data key', text) : warn('data key', text, `Change it with: ${finish}`)
}

function ok(about: string, text: string): Finding {
  return { about, state: 'ok', text }
}

function warn(about: string, text: string, todo: string): Finding {
  return { about, state: 'warn', text, todo }
}

function fail(about: string, text: string, todo?: string): Finding {
  return { about, state: 'fail', text, ...(todo !== undefined && { todo }) }
}
