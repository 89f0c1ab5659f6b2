/** The maximum number of records in a block. */
export const BLOCK_SIZE = 2048
const BYTES = BLOCK_SIZE / 8

/** A set of records of one block: one bit for each position in the block. */
export type PositionSet = Uint8Array

export function createPositionSet(): PositionSet {
  return new Uint8Array(BYTES)
}

/** Encodes positions for storage: two bytes each if there are few, otherwise one bit for each position of the block. */
export function packPositions(positions: readonly number[]): Buffer {
  if (2 * positions.length < BYTES) {
    const pairs = Buffer.alloc(2 * positions.length)
    for (const [index, position] of positions.entries()) pairs.writeUInt16BE(position, 2 * index)
    return pairs
  }
  const bits = Buffer.alloc(BYTES)
  for (const position of positions) addPosition(bits, position)
  return bits
}

/** Adds stored positions to a set. */
export function addPackedPositions(positions: PositionSet, stored: Buffer): void {
  if (stored.length === BYTES) {
    for (let at = 0; at < BYTES; at++) positions[at] = (positions[at] ?? 0) | (stored[at] ?? 0)
    return
  }
  for (let at = 0; at < stored.length; at += 2) addPosition(positions, stored.readUInt16BE(at))
}

export function addPosition(positions: PositionSet, position: number): void {
  positions[position >> 3] = (positions[position >> 3] ?? 0) | (1 << (position & 7))
}

/** Retains only the positions that are also in `others`. */
export function intersectPositions(positions: PositionSet, others: PositionSet): void {
  for (let at = 0; at < BYTES; at++) positions[at] = (positions[at] ?? 0) & (others[at] ?? 0)
}

/** Removes the positions in `others` from the set. */
export function removePositions(positions: PositionSet, others: PositionSet): void {
  for (let at = 0; at < BYTES; at++) positions[at] = (positions[at] ?? 0) & ~(others[at] ?? 0)
}

/** Lists the positions in descending order. */
export function listPositions(positions: PositionSet): number[] {
  const result: number[] = []
  for (let at = BYTES - 1; at >= 0; at--) {
    const byte = positions[at] ?? 0
    if (byte === 0) continue
    for (let bit = 7; bit >= 0; bit--) if (byte & (1 << bit)) result.push(8 * at + bit)
  }
  return result
}

/** Counts the positions in a set, at most `BLOCK_SIZE`. */
export function countPositions(positions: PositionSet): number {
  let count = 0
  for (let byte of positions) for (; byte !== 0; byte &= byte - 1) count++
  return count
}

export function isEmpty(positions: PositionSet): boolean {
  return positions.every((byte) => byte === 0)
}
