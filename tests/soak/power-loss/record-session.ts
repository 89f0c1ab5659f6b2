import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Disk } from './disk.ts'
import type { OpeningOrder, SessionOrder } from './marks.ts'
import { appendChange, type RecordedChange, readRecording } from './recorded-change.ts'

/** How long a sync takes: long enough that other steps run meanwhile. */
const SYNC_US = 1000

const DISK = 'disk'
const CHANGES = 'changes'
export const MARKS = 'marks'
export const DATA = 'data'

/**
 * Compiles the recorder, which is preloaded into a program, and returns its file. Returns why that is impossible
 * instead, if it is.
 */
export function buildRecorder(folder: string): { recorder: string } | { reason: string } {
  if (process.platform !== 'linux') return { reason: 'programs are recorded on Linux only' }
  const recorder = path.join(folder, 'record-writes.so')
  const source = path.join(import.meta.dirname, 'record-writes.c')
  const compile = ['-shared', '-fPIC', '-O1', '-o', recorder, source, '-lpthread']
  const { error, status, stderr } = spawnSync('cc', compile, { encoding: 'utf8' })
  if (error) return { reason: 'there is no C compiler' }
  if (status !== 0) throw new Error(`The recorder could not be compiled: ${stderr}`)
  return { recorder }
}

/** Records a session into a new folder. */
export function recordSession(
  folder: string,
  {
    recorder,
    program = path.join(import.meta.dirname, 'session-child.ts'),
    ...size
  }: { recorder: string; program?: string } & Omit<SessionOrder, 'dataDir' | 'marks'>,
): void {
  const disk = path.join(folder, DISK)
  fs.mkdirSync(disk, { recursive: true })
  const order: SessionOrder = { dataDir: path.join(disk, DATA), marks: path.join(disk, MARKS), ...size }
  runRecorded(folder, recorder, program, order)
}

/**
 * Records the opening of what a power cut left in `image` into a new folder. Returns the number of changes before it,
 * which put the image on the disk.
 */
export function recordOpening(
  folder: string,
  { recorder, image, passphrases }: { recorder: string; image: string; passphrases: readonly string[] },
): number {
  const disk = path.join(folder, DISK)
  fs.mkdirSync(disk, { recursive: true })
  fs.cpSync(path.join(image, DATA), path.join(disk, DATA), { recursive: true })
  recordDisk(path.join(folder, CHANGES), disk)
  const before = readRecording(path.join(folder, CHANGES)).length
  const order: OpeningOrder = { dataDir: path.join(disk, DATA), passphrases }
  runRecorded(folder, recorder, path.join(import.meta.dirname, 'opening-child.ts'), order)
  return before
}

/** Records a disk as it is: everything on it is synced. */
export function recordDisk(recording: string, disk: string): void {
  const descriptor = fs.openSync(recording, 'a')
  // Higher numbers than those of the program's own syncs.
  let sync = 2 ** 40
  const addPath = (file: string) => {
    const status = fs.lstatSync(file, { bigint: true })
    const kind = status.isDirectory() ? 'mkdir' : 'create'
    const members = kind === 'mkdir' ? fs.readdirSync(file) : []
    const data = kind === 'create' ? fs.readFileSync(file) : Buffer.alloc(0)
    const appendState = (change: Partial<RecordedChange> & Pick<RecordedChange, 'kind'>) =>
      appendChange(descriptor, { inode: status.ino, at: 0, data: Buffer.alloc(0), ...change })
    appendState({ kind, data: Buffer.from(`${file}\0`) })
    if (kind === 'create') appendState({ kind: 'write', data })
    for (const member of members) addPath(path.join(file, member))
    sync++
    appendState({ kind: 'sync', at: sync })
    appendState({ kind: 'synced', at: sync })
  }
  addPath(disk)
  fs.closeSync(descriptor)
}

/** Runs a program, and appends its changes to the recording of `folder`. */
function runRecorded(folder: string, recorder: string, program: string, order: object): void {
  const { status, signal } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)],
    {
      env: {
        ...process.env,
        LD_PRELOAD: recorder,
        RECORDED_FOLDER: path.join(folder, DISK),
        RECORDING: path.join(folder, CHANGES),
        SYNC_US: String(SYNC_US),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  if (status !== 0) throw new Error(`The recorded program ended with ${status ?? signal}.`)
}

/** Reads a recording. Throws if it lacks a change: what it recorded must be what is in the folder. */
export function readWholeRecording(folder: string): RecordedChange[] {
  const changes = readRecording(path.join(folder, CHANGES))
  const disk = new Disk(changes)
  for (const change of changes) disk.applyChange(change)
  const copy = path.join(folder, 'replayed')
  disk.writeCurrent(copy)
  const recorded = readFiles(copy)
  for (const [name, content] of readFiles(path.join(folder, DISK))) {
    // The index of a log is mapped memory.
    if (!name.endsWith('-shm') && !recorded.get(name)?.equals(content))
      throw new Error(`Not every change to ${name} was recorded.`)
    recorded.delete(name)
  }
  if (recorded.size > 0) throw new Error(`The removal of ${[...recorded.keys()]} was not recorded.`)
  fs.rmSync(copy, { recursive: true })
  return changes
}

function readFiles(folder: string): Map<string, Buffer> {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      return [path.relative(folder, file), fs.readFileSync(file)]
    }),
  )
}
