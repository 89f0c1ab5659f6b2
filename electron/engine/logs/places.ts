/** The most records in a block. */
export const BLOCK = 2048
const BYTES = BLOCK / 8

/** A set of a block's records: one bit per place. */
export type Places = Uint8Array

/** The empty set. */
export function nowhere(): Places {
  return new Uint8Array(BYTES)
}

/** Places in their stored form: two bytes each if they are few, otherwise as bits. */
export function packed(places: readonly number[]): Buffer {
  if (2 * places.length < BYTES) {
    const few = Buffer.alloc(2 * places.length)
    for (const [index, place] of places.entries()) few.writeUInt16BE(place, 2 * index)
    return few
  }
  const bits = Buffer.alloc(BYTES)
  for (const place of places) addPlace(bits, place)
  return bits
}

/** Adds stored places to a set. */
export function addPacked(places: Places, stored: Buffer): void {
  if (stored.length === BYTES) {
    for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) | (stored[at] ?? 0)
    return
  }
  for (let at = 0; at < stored.length; at += 2) addPlace(places, stored.readUInt16BE(at))
}

/** Adds one place. */
export function addPlace(places: Places, place: number): void {
  places[place >> 3] = (places[place >> 3] ?? 0) | (1 << (place & 7))
}

/** Keeps only the places that are in `others` too. */
export function keepOnly(places: Places, others: Places): void {
  for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) & (others[at] ?? 0)
}

/** Removes `others` from the places. */
export function without(places: Places, others: Places): void {
  for (let at = 0; at < BYTES; at++) places[at] = (places[at] ?? 0) & ~(others[at] ?? 0)
}

/** The places, last one first. */
export function placesIn(places: Places): number[] {
  const found: number[] = []
  for (let at = BYTES - 1; at >= 0; at--) {
    const byte = places[at] ?? 0
    if (byte === 0) continue
    for (let bit = 7; bit >= 0; bit--) if (byte & (1 << bit)) found.push(8 * at + bit)
  }
  return found
}

/** How many places there are. */
export function countPlaces(places: Places): number {
  let count = 0
  for (let byte of places) for (; byte !== 0; byte &= byte - 1) count++
  return count
}

/** Whether the set is empty. */
export function isEmpty(places: Places): boolean {
  return places.every((byte) => byte === 0)
}
