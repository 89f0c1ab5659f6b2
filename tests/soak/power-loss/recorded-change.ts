import fs from 'node:fs'

const kinds = [
  ...(['create', 'write', 'truncate', 'sync', 'synced', 'rename', 'link', 'unlink', 'mkdir'] as const),
]
/** The length of what precedes the data of a change. */
export const HEADER = 24

/** One change to a file or folder, as `record-writes.c` records it. */
export type RecordedChange = {
  readonly kind: (typeof kinds)[number]
  /** The inode of the file or folder, which may be that of an earlier one that was deleted. */
  readonly inode: bigint
  /** The offset of a write, the new size of a truncated file, or the number of a sync. */
  readonly at: number
  /** What was written, or the path, or the old and the new path with a zero byte between them. */
  readonly data: Buffer
}

/** Reads a recording. */
export function readRecording(file: string): RecordedChange[] {
  const content = fs.readFileSync(file)
  const changes: RecordedChange[] = []
  for (let at = 0; at < content.length; ) {
    const kind = kinds[content.readUInt32LE(at) - 1]
    const end = at + HEADER + content.readUInt32LE(at + 4)
    if (!kind) throw new Error(`The recording ${file} is damaged at ${at}.`)
    const data = content.subarray(at + HEADER, end)
    changes.push({
      kind,
      inode: content.readBigUInt64LE(at + 8),
      at: Number(content.readBigUInt64LE(at + 16)),
      data,
    })
    at = end
  }
  return changes
}

/** Appends a change to a recording. */
export function appendChange(descriptor: number, { kind, inode, at, data }: RecordedChange): void {
  const header = Buffer.alloc(HEADER)
  header.writeUInt32LE(kinds.indexOf(kind) + 1)
  header.writeUInt32LE(data.length, 4)
  header.writeBigUInt64LE(inode, 8)
  header.writeBigUInt64LE(BigInt(at), 16)
  fs.writeSync(descriptor, Buffer.concat([header, data]))
}

/** Returns the path of a change to names, and the new path if there is one. */
export function readPaths({ data }: RecordedChange): [from: string, to: string] {
  const [from = '', to = ''] = data.toString().split('\0')
  return [from, to]
}
