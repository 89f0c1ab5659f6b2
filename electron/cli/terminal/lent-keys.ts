import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'

const lent = z.object({
  url: z.string(),
  keys: z.object({ management: z.string(), private: z.string(), public: z.string() }),
})

/** The address and keys of a running vault in memory. */
export type Lent = z.infer<typeof lent>

/** No name of a vault begins with a dot. */
const FOLDER = '.in-memory'
/** Systems cut longer paths of sockets. */
const LONGEST_PATH = 100
const LONGEST_ANSWER = 10_000
const PATIENCE_MS = 1000

/**
 * Lends the address and keys of a vault in memory to `coffer env` of the same user, until the returned function is
 * called. They are not written to disk: a socket in the data folder hands them out. Where there can be none, as on
 * Windows or in a read-only folder, nothing is lent.
 */
export async function lend(dataDir: string, given: Lent): Promise<() => void> {
  const folder = path.join(dataDir, FOLDER)
  const file = path.join(folder, `${process.pid}.sock`)
  if (process.platform === 'win32' || Buffer.byteLength(file) > LONGEST_PATH) return () => {}
  const made = makeFolder(folder)
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(given))
  })
  const open = async () => {
    makeFolder(folder)
    return isPrivate(folder) && (await listens(server, file))
  }
  // Another process that stops may remove the folder between the steps.
  const isOpen = (await open()) || (await open())
  server.unref()
  if (!isOpen) return () => {}
  return () => {
    server.close()
    removeEmpty(folder)
    if (made === dataDir) removeEmpty(dataDir)
  }
}

function listens(server: net.Server, file: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    // What a killed process with this number left.
    fs.rm(file, { force: true }, () => server.listen(file, () => resolve(true)))
  })
}

/** The vaults in memory that run for this user with this data folder. */
export async function lentIn(dataDir: string): Promise<Lent[]> {
  const folder = path.join(dataDir, FOLDER)
  if (!isPrivate(folder)) return []
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.sock'))
  const found = await Promise.all(files.map((name) => ask(path.join(folder, name))))
  return found.filter((each) => each !== null)
}

/** Null where nobody answers; the socket of a process that was killed is removed. */
async function ask(file: string): Promise<Lent | null> {
  const socket = net.connect(file)
  const answer = new Promise<Lent | null>((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
      if (text.length > LONGEST_ANSWER) socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') fs.rmSync(file, { force: true })
    })
    socket.on('close', () => resolve(read(text)))
  })
  const given = await Promise.race([answer, delay(PATIENCE_MS, null, { ref: false })])
  socket.destroy()
  return given
}

function read(text: string): Lent | null {
  try {
    return lent.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Makes the folder, and returns the first one that had to be made. */
function makeFolder(folder: string): string | undefined {
  try {
    return fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return undefined
  }
}

/** SECURITY: in a folder of another user, that user could read the keys, or lend an address of their own. */
function isPrivate(folder: string): boolean {
  try {
    const found = fs.lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // Another vault in memory is lent there, or more is kept.
  }
}
