import fs from 'node:fs'
import path from 'node:path'
import { Disk } from '../power-loss/disk.ts'
import { DATA, recordDisk } from '../power-loss/record-session.ts'
import { HEADER, type RecordedChange, readRecording } from '../power-loss/recorded-change.ts'

export type DiskFolders = {
  /** The folder whose changes are recorded. */
  readonly disk: string
  readonly recording: string
  /** The file that tells `record-writes.c` which calls fail. */
  readonly faults: string
}

/** The members of `struct faults` in record-writes.c, in order. */
const members = ['write_error', 'writes_left', 'sync_error', 'read_error', 'has_short_reads'] as const
export type DiskFault = { readonly [Member in (typeof members)[number]]?: number }

/** What ends a process: `killed` leaves everything that it wrote, `power` only what was synced, and any part of the rest. */
export type ProcessEnd = 'killed' | 'power'

/** A disk whose calls fail on order, and that knows what is left of it when the process ends at a moment of the past. */
export class FaultyDisk {
  readonly #folders: DiskFolders
  #first: readonly RecordedChange[] = []

  constructor(folders: DiskFolders) {
    this.#folders = folders
  }

  get dataDir(): string {
    return path.join(this.#folders.disk, DATA)
  }

  /** Empties the disk. */
  clearDisk(): void {
    this.setFault({})
    fs.rmSync(this.#folders.disk, { recursive: true, force: true })
    fs.mkdirSync(this.#folders.disk, { recursive: true })
    this.#recordStart()
  }

  /** Lets calls fail from now on; none by default. */
  setFault(fault: DiskFault): void {
    const order = Buffer.alloc(4 * members.length)
    for (const [at, member] of members.entries()) order.writeUInt32LE(fault[member] ?? 0, 4 * at)
    const descriptor = fs.openSync(this.#folders.faults, 'r+')
    fs.writeSync(descriptor, order)
    fs.closeSync(descriptor)
  }

  /** The moment, for `endProcess`. */
  get moment(): number {
    return fs.statSync(this.#folders.recording).size
  }

  /** Leaves on the disk what the end of the process at a moment leaves. */
  endProcess(end: ProcessEnd, moment: number, random: () => number): void {
    this.setFault({})
    const { disk, recording } = this.#folders
    const state = new Disk(this.#first)
    for (const change of [...this.#first, ...readUntil(recording, moment)]) state.applyChange(change)
    fs.rmSync(disk, { recursive: true })
    if (end === 'killed') state.writeCurrent(disk)
    else state.writeImage(disk, random)
    this.#recordStart()
  }

  /** Takes the disk as it is for its first state. */
  #recordStart(): void {
    const { disk, recording } = this.#folders
    const state = `${recording}-state`
    recordDisk(state, disk)
    this.#first = readRecording(state)
    fs.rmSync(state)
    fs.truncateSync(recording)
  }
}

/** Reads the changes that ended until a moment, which is a length of the recording. */
function readUntil(recording: string, moment: number): RecordedChange[] {
  let end = 0
  return readRecording(recording).filter(({ data }) => {
    end += HEADER + data.length
    return end <= moment
  })
}
