import fs from 'node:fs'
import { endianness } from 'node:os'
import { toStorageError } from './storage-error.ts'

/** The part of a write-ahead log that SQLite can use, and what follows it. */
export type WriteAheadLog = {
  /** The two salts, which identify the generation: SQLite starts a new one when it writes from the start again. */
  readonly generation: string
  /** The number of frames that SQLite uses: those up to the last commit before the first bad frame. */
  readonly frames: number
  readonly commits: number
  /** The number of the first bad frame, from 1; null if every frame of this generation is intact. */
  readonly bad_frame: number | null
  /** The number of commits of the same generation from the bad frame on, which SQLite would ignore. */
  readonly unusable: number
}

const HEADER = 32
const FRAME_HEADER = 24
const BATCH = 256 * 1024
const MAGIC = 0x377f0682
const SWAP = endianness() === 'BE'

type Sums = [number, number]

/**
 * Reads a write-ahead log in bounded memory. Needs neither SQLite nor a key, because the frames carry checksums of the
 * encrypted pages. Returns null if there is no log, or if its header is damaged. Throws `unavailable`.
 */
export function readWriteAheadLog(file: string): WriteAheadLog | null {
  try {
    if (!fs.statSync(file, { throwIfNoEntry: false })?.size) return null
    const descriptor = fs.openSync(file, 'r')
    try {
      return readFrames(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw toStorageError(error, file)
  }
}

/** Truncates a log after its first `frames` frames, on disk. Throws `unavailable`. */
export function cutWriteAheadLog(file: string, frames: number): void {
  try {
    const descriptor = fs.openSync(file, 'r+')
    try {
      const pageSize = Buffer.alloc(4)
      fs.readSync(descriptor, pageSize, 0, 4, 8)
      fs.ftruncateSync(descriptor, HEADER + frames * (FRAME_HEADER + pageSize.readUInt32BE()))
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw toStorageError(error, file)
  }
}

type LogHeader = {
  readonly salts: Buffer
  readonly pageSize: number
  readonly bigEndian: boolean
  readonly sums: Sums
}

function readHeader(descriptor: number): LogHeader | null {
  const header = Buffer.alloc(HEADER)
  if (readFully(descriptor, header, 0) < HEADER) return null
  const magic = header.readUInt32BE(0)
  const pageSize = header.readUInt32BE(8)
  if ((magic & ~1) >>> 0 !== MAGIC || pageSize < 512 || pageSize > 65536) return null
  const bigEndian = (magic & 1) === 1
  const sums: Sums = [0, 0]
  addToSums(sums, header, 0, 24, bigEndian)
  if (sums[0] !== header.readUInt32BE(24) || sums[1] !== header.readUInt32BE(28)) return null
  return { salts: header.subarray(16, 24), pageSize, bigEndian, sums }
}

function readFrames(descriptor: number): WriteAheadLog | null {
  const header = readHeader(descriptor)
  if (header === null) return null
  const size = FRAME_HEADER + header.pageSize
  const batch = Buffer.alloc(Math.max(1, Math.floor(BATCH / size)) * size)
  const log: FrameCounts = { frames: 0, commits: 0, bad_frame: null, unusable: 0 }
  for (let number = 1; ; ) {
    const read = readFully(descriptor, batch, HEADER + (number - 1) * size)
    for (let at = 0; at + FRAME_HEADER <= read; at += size, number++) {
      const isComplete = at + size <= read
      countFrame(log, header, number, batch.subarray(at, at + size), isComplete)
    }
    if (read < batch.length) break
  }
  // The frames after the end of this generation belong to the previous one, which has been checkpointed completely.
  if (log.unusable === 0) log.bad_frame = null
  return { generation: header.salts.toString('hex'), ...log }
}

type FrameCounts = { -readonly [Name in Exclude<keyof WriteAheadLog, 'generation'>]: WriteAheadLog[Name] }

function countFrame(
  log: FrameCounts,
  header: LogHeader,
  number: number,
  frame: Buffer,
  isComplete: boolean,
): void {
  const isCommit = frame.readUInt32BE(4) !== 0
  const isSame = frame.compare(header.salts, 0, 8, 8, 16) === 0
  if (log.bad_frame === null) {
    const isSound = isSame && isComplete && isChained(header, frame)
    if (isSound && isCommit) Object.assign(log, { frames: number, commits: log.commits + 1 })
    if (!isSound) log.bad_frame = number
  }
  // A bad frame belongs to this generation if frames with its salts follow; `unusable` counts their commits.
  if (log.bad_frame !== null && isSame && isCommit) log.unusable++
}

/** Adds a frame to the running checksum. Returns whether the result equals the checksum in the frame. */
function isChained({ sums, bigEndian }: LogHeader, frame: Buffer): boolean {
  if (frame.readUInt32BE(0) === 0) return false
  addToSums(sums, frame, 0, 8, bigEndian)
  addToSums(sums, frame, FRAME_HEADER, frame.length - FRAME_HEADER, bigEndian)
  return sums[0] === frame.readUInt32BE(16) && sums[1] === frame.readUInt32BE(20)
}

/** Adds bytes to SQLite's checksum, over pairs of 32-bit words in the byte order that the header names. */
function addToSums(sums: Sums, buffer: Buffer, start: number, length: number, bigEndian: boolean): void {
  let [first, second] = sums
  if (bigEndian === SWAP) {
    const words = new Uint32Array(buffer.buffer, buffer.byteOffset + start, length / 4)
    for (let at = 0; at < words.length; at += 2) {
      first = (first + (words[at] ?? 0) + second) >>> 0
      second = (second + (words[at + 1] ?? 0) + first) >>> 0
    }
  } else {
    const word = bigEndian ? 'readUInt32BE' : 'readUInt32LE'
    for (let at = start; at < start + length; at += 8) {
      first = (first + buffer[word](at) + second) >>> 0
      second = (second + buffer[word](at + 4) + first) >>> 0
    }
  }
  sums[0] = first
  sums[1] = second
}

function readFully(descriptor: number, into: Buffer, position: number): number {
  let read = 0
  while (read < into.length) {
    const count = fs.readSync(descriptor, into, read, into.length - read, position + read)
    if (count === 0) break
    read += count
  }
  return read
}
