import { hash } from 'node:crypto'

/** How many records in a row have ids that begin with the same four digits. */
const GROUP_SIZE = 1000

/**
 * The id for the token of a record that has none: the same each time the import is resumed. The import's id is
 * random, so the result reveals nothing about the data, only which thousand of its records the token is from.
 */
export function deriveRecordId(import_id: string, record: number, isGrouped = true): string {
  const hex = hash('sha256', `${import_id}/${record}`)
  const start = isGrouped ? computePrefix(import_id, record) : hex.slice(0, 4)
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${start}${hex.slice(4, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** So that the index of ids takes up the records of a commit in one place, instead of each in a page of its own. */
function computePrefix(import_id: string, record: number): string {
  const group = Number.parseInt(import_id.slice(0, 4), 16) + Math.floor(record / GROUP_SIZE)
  return (group & 0xffff).toString(16).padStart(4, '0')
}
