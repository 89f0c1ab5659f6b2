import { hash } from 'node:crypto'

/** How many consecutive records have ids with the same first four digits. */
const GROUP_SIZE = 1000

/**
 * Derives the id for the token of a record without one. The id is the same each time the import is resumed. Because
 * the import's id is random, the derived id reveals only which group of 1,000 consecutive records the token is from.
 */
export function deriveRecordId(import_id: string, record: number, isGrouped = true): string {
  const hex = hash('sha256', `${import_id}/${record}`)
  const start = isGrouped ? computePrefix(import_id, record) : hex.slice(0, 4)
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${start}${hex.slice(4, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Shared prefixes let the index of ids store the records of a commit on a few pages, instead of one page each. */
function computePrefix(import_id: string, record: number): string {
  const group = Number.parseInt(import_id.slice(0, 4), 16) + Math.floor(record / GROUP_SIZE)
  return (group & 0xffff).toString(16).padStart(4, '0')
}
