import { isBranch } from './payload.ts'

/** Properties with user data. Keys inside them are not converted. */
const untouched = new Set(['data', 'metadata'])

/** Converts keys to snake_case at any depth, except inside `data` and `metadata`. */
export const toSnakeCase = (model: unknown): unknown => renameKeys(model, toSnakeName, untouched)

/** Converts keys to camelCase at any depth, except inside `data` and `metadata`. */
export const toCamelCase = (response: unknown): unknown => renameKeys(response, toCamelName, untouched)

function renameKeys(value: unknown, name: (name: string) => string, except?: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renameKeys(each, name, except))
  if (!isBranch(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) =>
      except?.has(key) ? [key, each] : [name(key), renameKeys(each, name)],
    ),
  )
}

function toSnakeName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

function toCamelName(name: string): string {
  return name.replace(/_+([a-zA-Z0-9])/g, (_, letter: string, at: number) =>
    at === 0 ? letter : letter.toUpperCase(),
  )
}
