import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describeSystemError } from '../../engine/index.ts'
import { inDataFolder } from '../files/data-folder.ts'

const ENDING = '.sock'
/** Systems truncate or reject longer socket paths: 104 bytes with the terminator on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 100
const CONNECT_TIMEOUT_MS = 1000

/** Returns the folder inside a data folder in which each process with an open vault has a socket. */
export function getControlFolder(dataDir: string): string {
  return path.join(dataDir, inDataFolder.control)
}

/** Why a socket is unavailable or not trusted, as a sentence. */
export class NoSocket extends Error {}

/**
 * Makes a server listen on a new socket that only this user can open. Returns the function that removes it. Throws
 * `NoSocket`.
 */
export async function listenIn(dataDir: string, server: net.Server): Promise<() => void> {
  if (process.platform === 'win32') throw new NoSocket('Coffer has no control socket on Windows yet.')
  const folder = getControlFolder(dataDir)
  const name = randomBytes(6).toString('hex')
  const file = path.join(folder, name + ENDING)
  const createdFolder = makeFolder(folder)
  // Another process that is stopping may remove the empty folder before the socket is opened, so both steps are retried
  // once.
  await openSocket(folder, name, server).catch(() => {
    makeFolder(folder)
    return openSocket(folder, name, server)
  })
  // Cleans up the sockets of killed processes in the background, also of those killed before they renamed theirs.
  void listSockets(dataDir, '').then(async (sockets) => {
    for (const each of sockets.filter((other) => other !== file))
      (await connectTo(each).catch(() => null))?.destroy()
  }, ignoreError)
  return () => {
    fs.rmSync(file, { force: true })
    removeEmpty(folder)
    if (createdFolder === dataDir) removeEmpty(dataDir)
  }
}

async function openSocket(folder: string, name: string, server: net.Server): Promise<void> {
  assertPrivate(folder)
  const before = path.join(folder, name)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      const listenAt = (address: string) => server.listen(address, () => resolve())
      withShortPath(before, listenAt)
    })
    fs.chmodSync(before, 0o600)
    // Renamed only now, so that commands find a socket that accepts connections and that no other user may open.
    fs.renameSync(before, before + ENDING)
  } catch (error) {
    server.close()
    fs.rmSync(before, { force: true })
    if (error instanceof NoSocket) throw error
    throw new NoSocket(`A socket cannot be created in ${folder}: ${describeSystemError(error)}.`)
  }
}

/** Lists the sockets of a data folder. Throws `NoSocket` if the folder is not private to this user. */
export async function listSockets(dataDir: string, ending = ENDING): Promise<string[]> {
  const folder = getControlFolder(dataDir)
  if (process.platform === 'win32' || !fs.existsSync(folder)) return []
  assertPrivate(folder)
  const names = fs.readdirSync(folder).filter((each) => each.endsWith(ending))
  return names.map((each) => path.join(folder, each))
}

/** Connects to a socket. Returns null if its process is dead, and removes the socket. Throws `NoSocket`. */
export async function connectTo(file: string): Promise<net.Socket | null> {
  assertOwn(file)
  let socket: net.Socket | undefined
  try {
    return await new Promise<net.Socket>((resolve, reject) => {
      withShortPath(file, (address) => {
        socket = net.connect(address)
        socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
          reject(new NoSocket(`No process is listening at ${file}.`)),
        )
        socket.once('error', reject).once('connect', () => resolve(socket as net.Socket))
      })
    })
  } catch (error) {
    socket?.destroy()
    if (error instanceof NoSocket) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') fs.rmSync(file, { force: true })
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return null
    throw new NoSocket(`${file} cannot be opened: ${describeSystemError(error)}.`)
  } finally {
    socket?.setTimeout(0)
  }
}

/**
 * Calls `use` with a path of the socket that is short enough for the system. If the full path is too long, `use` gets
 * the file name after `./` and runs with the folder of the socket as the working directory. `use` must not keep the
 * path after it has returned.
 */
function withShortPath(file: string, use: (address: string) => void): void {
  if (Buffer.byteLength(file) <= MAX_PATH_BYTES) {
    use(file)
    return
  }
  const before = process.cwd()
  process.chdir(path.dirname(file))
  try {
    // Node takes a name of digits alone for a port.
    use(`./${path.basename(file)}`)
  } finally {
    process.chdir(before)
  }
}

/**
 * SECURITY: throws `NoSocket` unless the folder is private to this user. In a folder of another user, that user could
 * impersonate Coffer, or act as the owner of the vault.
 */
function assertPrivate(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false })
  if (!stat) throw new NoSocket(`There is no folder ${folder}.`)
  if (!stat.isDirectory()) throw new NoSocket(`${folder} is not a folder. Remove it.`)
  if (stat.uid !== process.getuid?.()) throw new NoSocket(`${folder} belongs to another user.`)
  if ((stat.mode & 0o077) !== 0)
    throw new NoSocket(
      `Other users can open the folder ${folder}. Remove their access: chmod 700 '${folder}'`,
    )
}

/** SECURITY: throws `NoSocket` if the file is not a socket, or if other users may open it. */
function assertOwn(file: string): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isSocket()) throw new NoSocket(`${file} is not a socket. Remove it.`)
  if (stat.uid !== process.getuid?.()) throw new NoSocket(`${file} belongs to another user.`)
  if ((stat.mode & 0o777) !== 0o600)
    throw new NoSocket(`Other users can open the socket ${file}. Restart Coffer to create a new one.`)
}

/** Creates the folder. Returns the first folder that had to be created, if any. */
function makeFolder(folder: string): string | undefined {
  try {
    return fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // `assertPrivate` reports what the path leads to.
    return undefined
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // The folder is not empty, for example because another process has a socket in it.
  }
}

function ignoreError(): void {}
