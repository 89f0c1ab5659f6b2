import fs from 'node:fs'

const PIECE = 16 * 1024 * 1024

/** Counts how often each string occurs, as UTF-8 and as UTF-16, in the writable memory of a process. Linux only. */
export function countInMemory(pid: number, texts: Readonly<Record<string, string>>): Record<string, number> {
  const wanted = Object.entries(texts).flatMap(([name, text]) =>
    (['utf8', 'utf16le'] as const).map((encoding) => ({ name, bytes: Buffer.from(text, encoding) })),
  )
  const overlap = Math.max(...wanted.map(({ bytes }) => bytes.length))
  const counts = Object.fromEntries(Object.keys(texts).map((name) => [name, 0]))
  const memory = fs.openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const [from, to] of listWritableRegions(pid)) {
      for (let at = from; at < to; at += PIECE) {
        const piece = readSome(memory, at, Math.min(to - at, PIECE + overlap - 1))
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

/** Reads at most `length` bytes. Returns none if the region has been unmapped in the meantime. */
function readSome(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  try {
    return bytes.subarray(0, fs.readSync(file, bytes, 0, length, at))
  } catch {
    return bytes.subarray(0, 0)
  }
}

function countOccurrences(piece: Buffer, bytes: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(bytes); at >= 0 && at < PIECE; at = piece.indexOf(bytes, at + 1)) count++
  return count
}
