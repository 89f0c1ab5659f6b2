import { createCipheriv } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { type RecordedChange, readPaths } from './recorded-change.ts'

const SECTOR = 512

/** The content of a file, which grows in place. */
class Content {
  #bytes: Buffer
  #size: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#size = bytes.length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  copyContent(): Content {
    return new Content(Buffer.from(this.bytes))
  }

  /** Changes the size. New bytes are zeros. */
  changeSize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(2 * size)
      this.bytes.copy(larger)
      this.#bytes = larger
    }
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    this.#size = size
  }

  writeBytes(at: number, data: Buffer): void {
    if (at + data.length > this.#size) this.changeSize(at + data.length)
    data.copy(this.#bytes, at)
  }

  applyChange({ kind, at, data }: RecordedChange): void {
    if (kind === 'truncate') this.changeSize(at)
    else this.writeBytes(at, data)
  }
}

/** What the disk has of a file for certain, and the changes since. */
type FileState = {
  readonly content: Content
  pending: { readonly number: number; readonly change: RecordedChange }[]
}
type FolderState = { readonly entries: Map<string, State> }
type State = FileState | FolderState

/** A change to the names in folders, which the disk has as a whole or not at all. */
type NameChange = {
  readonly number: number
  readonly entries: readonly {
    readonly folder: FolderState
    readonly name: string
    readonly state: State | null
  }[]
  /** The folders that have not been synced since. */
  readonly unsynced: Set<FolderState>
}

const isFolder = (state: State): state is FolderState => 'entries' in state

/**
 * A disk that promises no more than POSIX: content is there after the sync of its file, a name after the sync of its
 * folder. It follows recorded changes, and writes what may be left of them after a power cut.
 */
export class Disk {
  readonly #root: string
  readonly #rootState: FolderState = { entries: new Map() }
  /** The files and folders by inode. A new file may have the inode of a deleted one. */
  readonly #states = new Map<bigint, State>()
  readonly #nameChanges: NameChange[] = []
  /** The number of the last change before each sync that has begun. */
  readonly #syncs = new Map<number, number>()
  #number = 0

  /** The first change of a recording names the folder that is recorded. */
  constructor([first]: readonly RecordedChange[]) {
    this.#root = first ? readPaths(first)[0] : ''
  }

  /** Returns the path of a recorded file as it was during the recording. */
  getPath(name: string): string {
    return path.join(this.#root, name)
  }

  applyChange(change: RecordedChange): void {
    const { kind, inode, at } = change
    const number = ++this.#number
    const state = this.#states.get(inode)
    if (kind === 'sync') this.#syncs.set(at, number)
    else if (kind === 'synced') this.#endSync(state, this.#syncs.get(at) ?? 0)
    else if (kind !== 'write' && kind !== 'truncate') this.#changeNames(change)
    else if (state && !isFolder(state)) state.pending.push({ number, change })
  }

  #endSync(state: State | undefined, last: number): void {
    if (!state) return
    if (isFolder(state)) {
      for (const { number, unsynced } of this.#nameChanges) if (number <= last) unsynced.delete(state)
    } else {
      const synced = state.pending.filter(({ number }) => number <= last)
      state.pending = state.pending.slice(synced.length)
      for (const { change } of synced) state.content.applyChange(change)
    }
  }

  #changeNames(change: RecordedChange): void {
    const { kind, inode } = change
    const [from, to] = readPaths(change)
    const isNew = kind === 'create' || kind === 'mkdir'
    if (from === this.#root) {
      this.#states.set(inode, this.#rootState)
      return
    }
    const state = isNew ? newState(kind) : this.#findState(from)
    if (isNew) this.#states.set(inode, state)
    const entries = [
      ...(isNew ? [this.#createEntry(from, state)] : []),
      ...(kind === 'rename' || kind === 'unlink' ? [this.#createEntry(from, null)] : []),
      ...(kind === 'rename' || kind === 'link' ? [this.#createEntry(to, state)] : []),
    ]
    for (const { folder, name, state: next } of entries) setEntry(folder, name, next)
    const unsynced = new Set(entries.map(({ folder }) => folder))
    this.#nameChanges.push({ number: this.#number, entries, unsynced })
  }

  #createEntry(file: string, state: State | null): NameChange['entries'][number] {
    const folder = this.#findState(path.dirname(file))
    if (!isFolder(folder)) throw new Error(`${path.dirname(file)} is not a folder.`)
    return { folder, name: path.basename(file), state }
  }

  #findState(file: string): State {
    let state: State | undefined = this.#rootState
    for (const name of path.relative(this.#root, file).split('/').filter(Boolean)) {
      state = state && isFolder(state) ? state.entries.get(name) : undefined
    }
    if (!state) throw new Error(`The recording has no ${file}.`)
    return state
  }

  /** Writes what running programs see into a new folder. */
  writeCurrent(target: string): void {
    writeFolder(target, this.#rootState, {
      getEntries: ({ entries }) => entries,
      getContent: ({ content, pending }) => {
        const current = content.copyContent()
        for (const { change } of pending) current.applyChange(change)
        return current.bytes
      },
    })
  }

  /**
   * Writes what may be left after a power cut into a new folder. Each change that was not synced is there or missing,
   * in any combination. Of a write, each sector is, and the last write of a file may be garbage.
   */
  writeImage(target: string, random: () => number): void {
    // Often all changes, none, or nearly so: a coin for each would rarely give these.
    const share = [0, 0.1, 0.5, 0.9, 1][Math.floor(random() * 5)] ?? 0
    const isKept = () => random() < share
    const left = new Map<FolderState, Map<string, State>>()
    const getEntries = (folder: FolderState) => {
      const entries = left.get(folder) ?? new Map<string, State>()
      left.set(folder, entries)
      return entries
    }
    for (const { entries, unsynced } of this.#nameChanges) {
      if (unsynced.size > 0 && !isKept()) continue
      for (const { folder, name, state } of entries) setEntry({ entries: getEntries(folder) }, name, state)
    }
    writeFolder(target, this.#rootState, {
      getEntries,
      getContent: (state, name) =>
        // The index of a log is mapped memory, whose changes are not recorded.
        name.endsWith('-shm')
          ? createGarbage(Math.floor(random() * 40_000), random)
          : loseChanges(state, isKept, random),
    })
  }
}

function newState(kind: RecordedChange['kind']): State {
  return kind === 'mkdir' ? { entries: new Map() } : { content: new Content(Buffer.alloc(0)), pending: [] }
}

function setEntry({ entries }: FolderState, name: string, state: State | null): void {
  if (state === null) entries.delete(name)
  else entries.set(name, state)
}

type FolderReader = {
  readonly getEntries: (folder: FolderState) => Map<string, State>
  readonly getContent: (file: FileState, name: string) => Buffer
}

function writeFolder(target: string, folder: FolderState, reader: FolderReader): void {
  fs.mkdirSync(target, { mode: 0o700 })
  for (const [name, state] of reader.getEntries(folder)) {
    const file = path.join(target, name)
    if (isFolder(state)) writeFolder(file, state, reader)
    else fs.writeFileSync(file, reader.getContent(state, name), { mode: 0o600 })
  }
}

function loseChanges({ content, pending }: FileState, isKept: () => boolean, random: () => number): Buffer {
  const left = content.copyContent()
  const isGarbled = random() < 0.2
  for (const { change } of pending) {
    const { kind, at, data } = change
    if (isGarbled && change === pending.at(-1)?.change)
      left.writeBytes(at, createGarbage(data.length, random))
    else if (kind === 'truncate' || random() < 0.5) {
      if (isKept()) left.applyChange(change)
    } else writeSectors(left, at, data, isKept)
  }
  return left.bytes
}

/** Writes some of the sectors of a write. */
function writeSectors(content: Content, at: number, data: Buffer, isKept: () => boolean): void {
  for (let start = 0; start < data.length; ) {
    const end = Math.min(data.length, start + SECTOR - ((at + start) % SECTOR))
    if (isKept()) content.writeBytes(at + start, data.subarray(start, end))
    start = end
  }
}

/** Returns random bytes, from a cipher because a generator of numbers is slow. */
function createGarbage(size: number, random: () => number): Buffer {
  const key = Buffer.alloc(16)
  key.writeUInt32LE(Math.floor(random() * 2 ** 32))
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}
