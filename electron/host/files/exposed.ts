import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020

/**
 * Why somebody else could change a file or folder, as sentences with what to do: another user owns it, or others
 * may write it. Null where only this user and root can, where nothing is there, and on Windows, which keeps its
 * permissions elsewhere. The folder above it is not looked at: who may write there can put something of their own in its
 * place, which is found by its owner. Throws the system's error where it cannot be looked at.
 */
export function describeExposure(file: string): string | null {
  const me = process.getuid?.()
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (me === undefined || !stat) return null
  if (stat.uid !== me && stat.uid !== 0) {
    return `${file} belongs to another user (${getUserName(stat.uid)}), who can change it. If you trust what is in it, take it over: sudo chown -R ${getUserName(me)} '${file}'`
  }
  const isOpen =
    (stat.mode & OTHERS_WRITE) !== 0 || ((stat.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(stat, me))
  if (!isOpen) return null
  const advice = stat.isDirectory()
    ? ` Or use a folder in it that Coffer makes: ${path.join(file, 'coffer')}`
    : ''
  return `Others may write ${file}, and so change what Coffer does. Look through it, then type: chmod go-w '${file}'${advice}`
}

/** Throws `forbidden` for the first of these that somebody else could change, as `describeExposure` says it. */
export function assertNotExposed(...files: readonly string[]): void {
  for (const file of files) {
    const exposure = describeExposure(file)
    if (exposure !== null) throw new CofferError('forbidden', exposure)
  }
}

/** A folder and what lies in it, for `refuseExposed`: what cannot be read is left to whoever reads it. */
export function withEntries(folder: string): string[] {
  try {
    return [folder, ...fs.readdirSync(folder).map((name) => path.join(folder, name))]
  } catch {
    return [folder]
  }
}

/**
 * Whether a group has no members but this user and root. With umask 0002, the usual one on Debian and Fedora, each user
 * has a group of the same name, and what the user makes may be written by it. A group that no file names, on something
 * of root's, is one that a container was given: root has decided who is in it.
 */
function isPrivateGroup({ uid, gid }: fs.Stats, me: number): boolean {
  // On macOS all users share a group, and these files do not name them.
  if (process.platform !== 'linux') return false
  const users = readAccountFile('/etc/passwd').map(([name, , id, group]) => ({
    name,
    uid: Number(id),
    gid: Number(group),
  }))
  const own = users.find((user) => user.uid === me)?.name
  const group = readAccountFile('/etc/group').find(([, , id]) => Number(id) === gid)
  if (!group) return uid === 0
  const [name, , , listed = ''] = group
  const members = [
    ...users.filter((user) => user.gid === gid).map((user) => user.name),
    ...listed.split(',').filter(Boolean),
  ]
  return (gid === 0 || name === own) && members.every((each) => each === own || each === 'root')
}

function readAccountFile(file: string): string[][] {
  try {
    return fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}

/** The name of an account, or its number where no file names it. */
function getUserName(uid: number): string {
  return readAccountFile('/etc/passwd').find(([, , id]) => id === String(uid))?.[0] ?? String(uid)
}
