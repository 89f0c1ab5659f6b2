import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Disk } from './disk.ts'
import type { SessionOrder } from './marks.ts'
import { type RecordedChange, readRecording } from './recorded-change.ts'

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
  }: { recorder: string; program?: string } & Pick<SessionOrder, 'seed' | 'steps' | 'phases'>,
): void {
  const disk = path.join(folder, DISK)
  fs.mkdirSync(disk, { recursive: true })
  const order: SessionOrder = { dataDir: path.join(disk, DATA), marks: path.join(disk, MARKS), ...size }
  const { status, signal } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)],
    {
      env: {
        ...process.env,
        LD_PRELOAD: recorder,
        RECORDED_FOLDER: disk,
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
