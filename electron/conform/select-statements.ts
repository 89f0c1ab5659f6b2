import { CofferError } from '../../shared/errors.ts'
import type { Statement } from './statement.ts'
import { statements } from './statements/index.ts'

/** Returns the statements of these areas, or all. Throws `invalid` for an unknown area. */
export function selectStatements(areas: readonly string[]): Readonly<Record<string, readonly Statement[]>> {
  if (areas.length === 0) return statements
  const unknown = areas.find((area) => !Object.hasOwn(statements, area))
  if (unknown !== undefined)
    throw new CofferError(
      'invalid',
      `There is no area of this name. The areas are: ${Object.keys(statements).join(', ')}.`,
    )
  return Object.fromEntries(areas.map((area) => [area, statements[area] ?? []]))
}
