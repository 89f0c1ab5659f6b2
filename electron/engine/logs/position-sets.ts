/** The most records in a block. */
export const BLOCK_SIZE = 2048
const BYTES = BLOCK_SIZE / 8

/** A set of a block's records: one bit per place. */
export type PositionSet = Uint8Array

/** The empty set. */
export function createPositionSet(): PositionSet {
  return new Uint8Array(BYTES)
}

/** Places in their stored form: two bytes each if they are few, otherwise as bits. */
export function packPositions(places: readonly number[]): Buffer {
  if (2 * places.length < BYTES) {
    const few = Buffer.alloc(2 * places.length)
    for (const [index, place] of places.entries()) few.writeUInt16BE(place, 2 * index)
    return few
  }
  const bits = Buffer.alloc(BYTES)
  for (const place of places) addPosition(bits, place)
  return bits
}

/** Adds stored places to a set. */
export function addPackedPositions(places: PositionSet, stored: Buffer): void {
  if (stored.length === BYTES) {
    for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) | (stored[at] ?? 0)
    return
  }
  for (let at = 0; at < stored.length; at += 2) addPosition(places, stored.readUInt16BE(at))
}

/** Adds one place. */
export function addPosition(places: PositionSet, place: number): void {
  places[place >> 3] = (places[place >> 3] ?? 0) | (1 << (place & 7))
}

/** Keeps only the places that are in `others` too. */
export function intersectPositions(places: PositionSet, others: PositionSet): void {
  for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) & (others[at] ?? 0)
}

/** Removes `others` from the places. */
export function removePositions(places: PositionSet, others: PositionSet): void {
  for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) & ~(others[at] ?? 0)
}

/** The places, last one first. */
export function listPositions(places: PositionSet): number[] {
  const positions: number[] = []
  for (let at = BYTES - 1; at >= 0; at--) {
    const byte = places[at] ?? 0
    if (byte === 0) continue
    for (let bit = 7; bit >= 0; bit--) if (byte & (1 << bit)) positions.push(8 * at + bit)
  }
  return positions
}

/** How many places there are. */
export function countPositions(places: PositionSet): number {
  let count = 0
  for (let byte of places) for (; byte !== 0; byte &= byte - 1) count++
  return count
}

/** Whether the set is empty. */
export function isEmpty(places: PositionSet): boolean {
  return places.every((byte) => byte === 0)
}
