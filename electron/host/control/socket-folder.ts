import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describeSystemError } from '../../engine/db/describe-system-error.ts'
import { inDataFolder } from '../files/data-folder.ts'

const ENDING = '.sock'
/** Systems cut or refuse longer paths of sockets: 104 bytes with the end on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 100
const CONNECT_TIMEOUT_MS = 1000

/** The folder of a data folder in which each process that holds a vault open has a socket. */
export function controlFolder(dataDir: string): string {
  return path.join(dataDir, inDataFolder.control)
}

/** Why sockets cannot be had or trusted, as a sentence. */
export class NoSocket extends Error {}

/**
 * Makes a server listen on a new socket, which only this user can open, and returns the function that removes it.
 * Throws `NoSocket`.
 */
export async function listenIn(dataDir: string, server: net.Server): Promise<() => void> {
  if (process.platform === 'win32') throw new NoSocket('Coffer has no control socket on Windows yet.')
  const folder = controlFolder(dataDir)
  const name = randomBytes(6).toString('hex')
  const file = path.join(folder, name + ENDING)
  const createdFolder = makeFolder(folder)
  // Another process that stops may remove the empty folder between the steps.
  await openSocket(folder, name, server).catch(() => {
    makeFolder(folder)
    return openSocket(folder, name, server)
  })
  // What killed processes have left; nobody waits for it.
  void listSockets(dataDir).then(async (sockets) => {
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
    // Only now do commands see it: it answers, and nobody else may open it.
    fs.renameSync(before, before + ENDING)
  } catch (error) {
    server.close()
    fs.rmSync(before, { force: true })
    if (error instanceof NoSocket) throw error
    throw new NoSocket(`A socket cannot be made in ${folder}: ${describeSystemError(error)}.`)
  }
}

/** The sockets of a data folder. Throws `NoSocket` where the folder is not this user's alone. */
export async function listSockets(dataDir: string): Promise<string[]> {
  const folder = controlFolder(dataDir)
  if (process.platform === 'win32' || !fs.existsSync(folder)) return []
  assertPrivate(folder)
  const names = fs.readdirSync(folder).filter((each) => each.endsWith(ENDING))
  return names.map((each) => path.join(folder, each))
}

/** Connects to a socket; null where its process is dead, and then it is removed. Throws `NoSocket`. */
export async function connectTo(file: string): Promise<net.Socket | null> {
  assertOwn(file)
  let socket: net.Socket | undefined
  try {
    return await new Promise<net.Socket>((resolve, reject) => {
      withShortPath(file, (address) => {
        socket = net.connect(address)
        socket.setTimeout(CONNECT_TIMEOUT_MS, () => reject(new NoSocket(`Nobody answers at ${file}.`)))
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
 * Runs `act` with an address of a socket that is short enough: where the path is too long, its name alone, in a working
 * directory that is its folder meanwhile. `act` uses the address before it returns.
 */
function withShortPath(file: string, use: (address: string) => void): void {
  if (Buffer.byteLength(file) <= MAX_PATH_BYTES) {
    use(file)
    return
  }
  const before = process.cwd()
  process.chdir(path.dirname(file))
  try {
    use(path.basename(file))
  } finally {
    process.chdir(before)
  }
}

/** SECURITY: in a folder of another user, that user could stand in for Coffer, or act as the owner of the vault. */
function assertPrivate(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false })
  if (!stat) throw new NoSocket(`There is no folder ${folder}.`)
  if (!stat.isDirectory()) throw new NoSocket(`${folder} is not a folder. Remove it.`)
  if (stat.uid !== process.getuid?.()) throw new NoSocket(`${folder} belongs to another user.`)
  if ((stat.mode & 0o077) !== 0)
    throw new NoSocket(`Others may enter ${folder}. Change that with: chmod 700 '${folder}'`)
}

/** SECURITY: a link, a file in its place, or a socket that others may open is not trusted. */
function assertOwn(file: string): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isSocket()) throw new NoSocket(`${file} is not a socket. Remove it.`)
  if (stat.uid !== process.getuid?.()) throw new NoSocket(`${file} belongs to another user.`)
  if ((stat.mode & 0o777) !== 0o600)
    throw new NoSocket(`Others may open ${file}. Start Coffer again, which makes a new one.`)
}

/** Makes the folder, and returns the first one that had to be made. */
function makeFolder(folder: string): string | undefined {
  try {
    return fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // `assertPrivate` says what is there instead.
    return undefined
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // Another process has a socket there, or more is kept.
  }
}

function ignoreError(): void {}
