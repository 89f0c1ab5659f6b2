import { hash } from 'node:crypto'

/**
 * The id for the token of a record that has none: the same each time the import is resumed. The import's id is
 * random, so the result reveals nothing about the data.
 */
export function recordId(import_id: string, record: number): string {
  const hex = hash('sha256', `${import_id}/${record}`)
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
