import { createInvalidError } from '../../shared/errors.ts'
import { isObject } from '../../shared/json.ts'
import { Repeated } from '../../shared/schema-messages.ts'

/**
 * Parses a query string into input fields: a string, or a list for a repeated parameter. All three spellings of
 * metadata filters become pairs (rule L-02). Throws `invalid` for a malformed metadata filter.
 */
export function readQuery(search: string): Record<string, unknown> {
  if (search === '') return {}
  const members = new Map<string, string | Repeated>()
  const metadata: [string, string][] = []
  for (const [name, value] of new URLSearchParams(search)) {
    const key = parseMetadataKey(name)
    if (key !== undefined) metadata.push([key, value])
    else if (name === 'metadata') metadata.push(...parseMetadataObject(value))
    else {
      const before = members.get(name)
      if (before instanceof Repeated) before.push(value)
      else members.set(name, before === undefined ? value : Repeated.of(before, value))
    }
  }
  return { ...Object.fromEntries(members), ...(metadata.length > 0 && { metadata }) }
}

function parseMetadataKey(name: string): string | undefined {
  if (name.startsWith('metadata.')) return name.slice('metadata.'.length)
  // `metadata[a][b]` would be a nested map, which is not a filter.
  return /^metadata\[((?:(?!\]\[).)*)\]$/s.exec(name)?.[1]
}

function parseMetadataObject(text: string): [string, string][] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw createInvalidError(
      'metadata',
      'must be metadata.<key>=<value>, metadata[<key>]=<value> or a JSON object of strings',
    )
  }
  if (!isObject(value)) throw createInvalidError('metadata', 'must be a JSON object of strings')
  return Object.entries(value).map(([key, each]) => {
    if (typeof each !== 'string') throw createInvalidError('metadata', 'must be a JSON object of strings')
    return [key, each]
  })
}
