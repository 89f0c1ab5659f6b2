import fs from 'node:fs'
import path from 'node:path'
import { CofferError, toCofferError } from '../../shared/errors.ts'
import { isoTime } from '../../shared/time.ts'
import { migrations } from '../engine/db/migrations.ts'
import { refusePlain } from '../engine/db/open.ts'
import { damageOrDisk, storageError } from '../engine/db/storage-error.ts'
import { inBackground } from './background.ts'
import { listBackups } from './backups.ts'
import { type Credential, masterOf } from './credential.ts'
import { type Header, readHeader } from './header.ts'
import { lockHolder } from './process-lock.ts'
import { staleTemporaries } from './stale-temporaries.ts'
import { type VaultFiles, vaultExists, vaultFiles } from './vault-files.ts'

/** One thing that was looked at; `todo` says what to do where it is not well. */
export type Finding = {
  readonly about: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly todo?: string
}

type Place = { readonly dataDir: string; readonly name: string; readonly now: number }

const MB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const CLOCK_SLACK_MS = 5 * 60 * 1000
const PAGE = 4096

/**
 * Looks at everything around a vault that can go wrong, open elsewhere or locked; nothing is changed. The database is
 * read whole where the keychain or `credential` opens it. Never rejects: what fails is a finding.
 */
export async function examine(
  { dataDir, name, now }: Place,
  credential?: () => Promise<Credential>,
): Promise<Finding[]> {
  const files = vaultFiles(dataDir, name)
  const findings: Finding[] = []
  const look = async (about: string, act: () => Finding | Promise<Finding>) => {
    try {
      findings.push(await act())
    } catch (error) {
      findings.push(fail(about, storageError(error, files.folder).message))
    }
  }
  try {
    if (!vaultExists(files)) {
      return [fail('vault', `There is no vault ${name} in ${dataDir}.`, 'Make one with: coffer init')]
    }
  } catch (error) {
    return [fail('vault', storageError(error, files.folder).message)]
  }
  let header: Header | undefined
  await look('header', () => {
    header = readHeader(files.header)
    return lookAtHeader(header)
  })
  await look('file', () => lookAtFile(files))
  await look('in use', () => lookAtHolder(files))
  await look('permissions', () => lookAtPermissions(dataDir, files))
  await look('clock', () => lookAtClock(files, header, now))
  await look('disk', () => lookAtDisk(files))
  await look('backups', () => lookAtBackups(dataDir, name, header, now))
  await look('leftovers', () => lookAtLeftovers(dataDir))
  if (header) await lookInside(files, header, credential, look)
  return findings
}

function lookAtHeader(header: Header): Finding {
  if (!header.next) return ok('header', `vault.json is whole; the vault is kept by the ${header.protection}.`)
  const text = 'A change of the master secret was interrupted.'
  return warn('header', text, 'Open the vault once; that brings it to its end.')
}

function lookAtFile({ database }: VaultFiles): Finding {
  const size = fs.statSync(database).size
  const isCut = size === 0 || size % PAGE !== 0
  if (isCut) return fail('file', `${database} is cut off.`, 'Restore a backup: coffer restore')
  refusePlain(database)
  return ok('file', `vault.db is there, ${Math.ceil(size / 1024)} kB.`)
}

function lookAtHolder({ folder }: VaultFiles): Finding {
  const holder = lockHolder(folder)
  if (!holder) return ok('in use', 'The vault is not open anywhere.')
  const where = holder.url ? `, listening at ${holder.url}` : ''
  return ok('in use', `The vault is open in ${holder.command} (process ${holder.pid}${where}).`)
}

function lookAtPermissions(dataDir: string, files: VaultFiles): Finding {
  if (process.platform === 'win32') return ok('permissions', 'Left to the folder on this system.')
  const open = Object.values(files)
    .filter((each) => fs.existsSync(each))
    .filter((each) => (fs.statSync(each).mode & 0o077) !== 0)
  const first = open[0]
  const within = fs.readdirSync(files.folder).map((each) => path.join(files.folder, each))
  const closed = [dataDir, files.folder, ...within, `${files.folder}.lock`].filter(isClosed)
  if (closed.length > 0) {
    const text = `You may not read and write ${closed.join(', ')}.`
    return fail('permissions', text, `If they are yours: chmod u+rwX ${closed.join(' ')}`)
  }
  if (first === undefined) return ok('permissions', 'Nobody else may read the vault.')
  return warn('permissions', `Others may read ${open.join(', ')}.`, `chmod go-rwx ${open.join(' ')}`)
}

/** Whether something that is there may not be read and written. */
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
  const times = [files.database, files.header].map((each) => fs.statSync(each).mtimeMs)
  const latest = Math.max(...times, Date.parse(header?.created_at ?? '') || 0)
  if (latest <= now + CLOCK_SLACK_MS) return ok('clock', 'No file is younger than the clock.')
  const text = `The vault was written at ${isoTime(latest)}, which the clock says is still to come.`
  return warn('clock', text, 'Set the clock; tokens expire by it.')
}

function lookAtDisk({ folder, database }: VaultFiles): Finding {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const text = `${Math.floor(free / MB)} MB are free.`
  if (free < 10 * MB) return fail('disk', text, 'Free some space: the vault cannot grow.')
  // A backup and a new master secret each need as much again as the vault, for a moment twice.
  if (free >= 2 * fs.statSync(database).size + 100 * MB) return ok('disk', text)
  return warn('disk', text, 'Free some space: backups and new keys need twice the size of the vault.')
}

function lookAtBackups(dataDir: string, name: string, header: Header | undefined, now: number): Finding {
  const all = listBackups(dataDir, name)
  const broken = all.filter((each) => each.problem !== undefined)
  const mine = all.filter((each) => each.vault_id !== undefined && each.vault_id === header?.vault_id)
  const [newest] = mine
  const make = 'Make one with: coffer backup'
  if (!newest?.made_at) return warn('backups', 'The vault has no backup among its backups.', make)
  const days = Math.floor((now - Date.parse(newest.made_at)) / DAY_MS)
  if (days > 7) return warn('backups', `The last backup is ${days} days old.`, make)
  const text = `${mine.length} ${mine.length === 1 ? 'backup' : 'backups'}, the last of ${newest.made_at}.`
  if (broken.length === 0) return ok('backups', text)
  return warn('backups', `${text} ${broken[0]?.problem}`, 'Remove it, and make another: coffer backup')
}

function lookAtLeftovers(dataDir: string): Finding {
  const left = staleTemporaries(dataDir)
  if (left.length === 0) return ok('leftovers', 'Nothing of dead processes is left.')
  const what = left.map((each) => path.basename(each)).join(', ')
  return warn(
    'leftovers',
    `Dead processes left ${what}.`,
    'They are of no use any more; you may remove them.',
  )
}

/** What only a key shows: that it is there, that it opens the file, that every page and key of it is sound. */
async function lookInside(
  { database }: VaultFiles,
  header: Header,
  credential: (() => Promise<Credential>) | undefined,
  look: (about: string, act: () => Finding | Promise<Finding>) => Promise<void>,
): Promise<void> {
  const given =
    credential ?? (header.protection === 'keychain' ? async () => ({ keychain: true }) as const : undefined)
  if (!given) {
    await look('database', () => ok('database', 'Not looked into: that takes the passphrase. Use --open.'))
    return
  }
  let master: Buffer | undefined
  await look('key', async () => {
    master = await masterOf(header, await given())
    return ok(
      'key',
      credential ? 'What was given opens the vault.' : 'The keychain gives the key of the vault.',
    )
  })
  const found = master
  if (!found) return
  await look('database', async () => {
    const { format, data_keys } = await inBackground('inspect', { database, master: found }).catch(
      (error) => {
        throw damageOrDisk(toCofferError(error), database)
      },
    )
    if (format > migrations.length) {
      throw new CofferError('unprocessable', 'The vault is of a newer Coffer. Install the newer Coffer.')
    }
    if (data_keys > 1) {
      const text = 'Every page is sound; a change of the data key is not finished.'
      return warn('database', text, 'Go on with it: coffer rotate data')
    }
    const old = format < migrations.length ? ' It is migrated when it is opened next, after a backup.' : ''
    return ok('database', `Every page and key is sound, format ${format}.${old}`)
  })
  found.fill(0)
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
