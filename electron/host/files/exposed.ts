import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020

/**
 * Describes why another user could change a file or folder, and what to do, as sentences: another user owns it,
 * or others may write to it. Returns null if only this user and root can change it, if it does not exist, and on
 * Windows, which has no such mode bits. The parent folder is not checked: whoever can write there could replace the
 * file, but the replacement would have another owner. Throws the system's error if the file cannot be inspected.
 */
export function describeExposure(file: string): string | null {
  const me = process.getuid?.()
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (me === undefined || !stat) return null
  if (stat.uid !== me && stat.uid !== 0) {
    return `${file} belongs to another user (${getUserName(stat.uid)}), who can change it. If you trust its content, become its owner: sudo chown -R ${getUserName(me)} '${file}'`
  }
  const isOpen =
    (stat.mode & OTHERS_WRITE) !== 0 || ((stat.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(stat, me))
  if (!isOpen) return null
  const advice = stat.isDirectory()
    ? ` Or use a subfolder that Coffer creates: ${path.join(file, 'coffer')}`
    : ''
  return `Other users can write to ${file} and so change what Coffer does. Check its content, then run: chmod go-w '${file}'${advice}`
}

/**
 * Throws `forbidden` for the first of these files that another user could change, with the message of
 * `describeExposure`.
 */
export function assertNotExposed(...files: readonly string[]): void {
  for (const file of files) {
    const exposure = describeExposure(file)
    if (exposure !== null) throw new CofferError('forbidden', exposure)
  }
}

/**
 * Lists a folder and its entries, for `assertNotExposed`. An unreadable folder is listed without entries, because the
 * code that reads it later reports the error.
 */
export function withEntries(folder: string): string[] {
  try {
    return [folder, ...fs.readdirSync(folder).map((name) => path.join(folder, name))]
  } catch {
    return [folder]
  }
}

/**
 * Whether a group has no members but this user and root. With umask 0002, the default on Debian and Fedora, each user
 * has a group of the same name that may write the user's files. If root owns a file and its group is not listed, root
 * assigned the group to a container, so the group is trusted.
 */
function isPrivateGroup({ uid, gid }: fs.Stats, me: number): boolean {
  // On macOS all users share a group, and /etc/passwd and /etc/group do not list the users.
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

function getUserName(uid: number): string {
  return readAccountFile('/etc/passwd').find(([, , id]) => id === String(uid))?.[0] ?? String(uid)
}
