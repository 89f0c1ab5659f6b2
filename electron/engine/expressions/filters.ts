import type { ExpressionFilter } from './filter.ts'
import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './filters/aliasing.ts'
import { cardExp } from './filters/card-exp.ts'
import { cardBin, cardMask } from './filters/card-mask.ts'
import { toBoolean, toNumber, toText } from './filters/convert.ts'
import { date } from './filters/date.ts'
import { hmac, toBase16, toBase64 } from './filters/hashing.ts'
import { json, jsonStringify, stringify } from './filters/json.ts'
import { last4, reveal, revealLast } from './filters/masking.ts'
import { padLeft, padRight } from './filters/padding.ts'
import { standardFilters } from './standard.ts'

const allFilters: readonly ExpressionFilter[] = [
  ...standardFilters,
  ...[revealLast, reveal, last4, cardMask, cardBin, cardExp],
  ...[aliasCard, aliasPreserveFormat, aliasPreserveLength],
  ...[json, stringify, jsonStringify, toNumber, toBoolean, toText],
  ...[padLeft, padRight, hmac, toBase64, toBase16],
  date,
]

const filtersByName: ReadonlyMap<string, ExpressionFilter> = new Map(
  allFilters.map((each) => [each.name, each]),
)

/** The names of all filters (rule E-02), in alphabetical order. */
export const filterNames: readonly string[] = [...filtersByName.keys()].sort()

/** Returns the filter with this name (rule E-02); undefined if there is none. */
export function findFilter(name: string): ExpressionFilter | undefined {
  return filtersByName.get(name)
}
