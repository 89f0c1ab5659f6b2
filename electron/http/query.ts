import { createInvalidError } from '../../shared/errors.ts'
import { isObject } from '../../shared/json.ts'
import { sanitizeName } from '../../shared/problems.ts'
import { Repeated } from '../../shared/schema-messages.ts'

const METADATA_FORMS = 'must be metadata.<key>=<value>, metadata[<key>]=<value> or a JSON object of strings'

/**
 * Parses the query of a request's URL into input fields: a string, or a list for a repeated parameter. All three spellings of
 * metadata filters become pairs (rule L-02). Throws `invalid` for a malformed metadata filter.
 */
export function readQuery(url = ''): Record<string, unknown> {
  const at = url.indexOf('?')
  if (at < 0) return {}
  const members = new Map<string, string | Repeated>()
  const metadata: [string, string][] = []
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    const key = parseMetadataKey(name)
    if (key !== undefined) metadata.push([key, value])
    // SECURITY: a filter that cannot be read is never ignored, because the answer would have more tokens.
    else if (name.startsWith('metadata[')) throw createInvalidError(sanitizeName(name), METADATA_FORMS)
    else if (name === 'metadata') metadata.push(...parseMetadataObject(value))
    else members.set(name, addValue(members.get(name), value))
  }
  return { ...Object.fromEntries(members), ...(metadata.length > 0 && { metadata }) }
}

function addValue(before: string | Repeated | undefined, value: string): string | Repeated {
  if (before === undefined) return value
  if (!(before instanceof Repeated)) return Repeated.of(before, value)
  before.push(value)
  return before
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
    throw createInvalidError('metadata', METADATA_FORMS)
  }
  if (!isObject(value)) throw createInvalidError('metadata', 'must be a JSON object of strings')
  return Object.entries(value).map(([key, each]) => {
    if (typeof each !== 'string') throw createInvalidError('metadata', 'must be a JSON object of strings')
    return [key, each]
  })
}
