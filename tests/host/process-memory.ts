import fs from 'node:fs'

/** Small, so that most of the memory that was reserved and never written is skipped. */
const PIECE = 256 * 1024

/** Counts how often each string occurs, as UTF-8 and as UTF-16, in the writable memory of a process. Linux only. */
export function countInMemory(pid: number, texts: Readonly<Record<string, string>>): Record<string, number> {
  const wanted = Object.entries(texts).flatMap(([name, text]) =>
    (['utf8', 'utf16le'] as const).map((encoding) => ({ name, bytes: Buffer.from(text, encoding) })),
  )
  const overlap = Math.max(...wanted.map(({ bytes }) => bytes.length))
  const counts = Object.fromEntries(Object.keys(texts).map((name) => [name, 0]))
  const buffer = Buffer.alloc(PIECE + overlap - 1)
  const zeros = Buffer.alloc(buffer.length)
  const memory = fs.openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const [from, to] of listWritableRegions(pid)) {
      for (let at = from; at < to; at += PIECE) {
        const piece = readSome(memory, at, buffer.subarray(0, to - at))
        if (piece.equals(zeros.subarray(0, piece.length))) continue
        for (const { name, bytes } of wanted)
          counts[name] = (counts[name] ?? 0) + countOccurrences(piece, bytes)
      }
    }
  } finally {
    fs.closeSync(memory)
  }
  return counts
}

function listWritableRegions(pid: number): [number, number][] {
  const lines = fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
    return from === '' ? [] : [[Number.parseInt(from, 16), Number.parseInt(to, 16)] as [number, number]]
  })
}

/** Fills `bytes` as far as possible. Returns none if the region has been unmapped in the meantime. */
function readSome(file: number, at: number, bytes: Buffer): Buffer {
  try {
    return bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, at))
  } catch {
    return bytes.subarray(0, 0)
  }
}

function countOccurrences(piece: Buffer, bytes: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(bytes); at >= 0 && at < PIECE; at = piece.indexOf(bytes, at + 1)) count++
  return count
}
