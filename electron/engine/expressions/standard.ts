import { Context, type FilterImplOptions, Liquid, Tokenizer, toValue, toValueSync } from 'liquidjs'
import { invalid } from '../../../shared/errors.ts'
import { computableWithin, type Json } from '../../../shared/json.ts'
import { MAX_STEP, sizeOf, spend, tooMuch } from './bounds.ts'
import type { Args, Filter } from './filter.ts'
import { jsonOf } from './value.ts'

/** The standard filters, and how much work each adds for a character of its arguments: those that search, more. */
const groups = [
  { passing: true, factor: 0, names: 'default first last size' },
  {
    passing: false,
    factor: 0,
    names: `abs append at_least at_most base64_decode base64_encode capitalize ceil compact concat divided_by downcase
      escape escape_once floor h join lstrip minus modulo newline_to_br plus prepend reverse round rstrip slice squish
      strip strip_html strip_newlines times truncate truncatewords uniq upcase url_decode url_encode`,
  },
  {
    passing: false,
    factor: 1 / 16,
    names: 'remove remove_first remove_last replace replace_first replace_last split',
  },
  { passing: false, factor: 1 / 2, names: 'find find_index has map reject sort sort_natural sum where' },
] as const

type Group = (typeof groups)[number]

const liquid = new Liquid({
  // SECURITY: no file is ever looked for; templates could only come from this empty table.
  templates: {},
  relativeReference: false,
  ownPropertyOnly: true,
  strictFilters: true,
  operators: {},
  locale: 'en-US',
  timezoneOffset: 0,
  parseLimit: MAX_STEP,
  memoryLimit: MAX_STEP * 2,
  renderLimit: 50,
})

// SECURITY: no tag exists.
for (const tag of Object.keys(liquid.tags)) delete liquid.tags[tag]

/**
 * The standard Liquid filters (rule E-02), by liquidjs.
 * SECURITY: only those named here; some others of the library parse code out of their arguments.
 */
export const standardFilters: readonly Filter[] = groups.flatMap((group) =>
  group.names
    .split(/\s+/)
    .flatMap((name) => standard(name, group, liquid.filters[name === 'h' ? 'escape' : name])),
)

function standard(
  name: string,
  { passing, factor }: Group,
  implementation: FilterImplOptions | undefined,
): Filter[] {
  const handler = typeof implementation === 'function' ? implementation : implementation?.handler
  const token = new Tokenizer(`|${name}`).readFilter()
  if (!handler || !token) return []
  const bind = (args: Args): ReturnType<Filter['bind']> => {
    const given = list(name, args)
    const extent = given.length === 0 ? 0 : sizeOf(given, MAX_STEP)
    return (taken, budget) => {
      // `uniq` takes things for the same that are; the others ask a number that is kept as it is written for its double.
      const value = name === 'uniq' ? computableWithin(jsonOf(taken)) : jsonOf(taken)
      if (!passing) {
        const size = sizeOf(value, MAX_STEP) + extent
        if (size > MAX_STEP) throw tooMuch()
        spend(budget, size * (1 + extent * factor))
      }
      spend(budget, 32)
      const context = new Context({}, liquid.options, { sync: true }, { liquid })
      const result = json(
        name,
        attempt(name, () => toValueSync(handler.apply({ context, token, liquid }, [value, ...given]))),
      )
      if (!passing && sizeOf(result, MAX_STEP) > MAX_STEP) throw tooMuch()
      return result
    }
  }
  return [{ name, bind }]
}

function list(name: string, { positional, named }: Args): Json[] {
  for (const key of named.keys()) {
    if (name !== 'default' || key !== 'allow_false') {
      throw invalid('', `gives the filter ${name} an argument it does not know`)
    }
  }
  return [...positional, ...[...named].map(([key, value]) => [key, value])]
}

function attempt(name: string, run: () => unknown): unknown {
  try {
    return run()
  } catch {
    // SECURITY: the library's message may quote the data.
    throw invalid('', `gives the filter ${name} something it cannot take`)
  }
}

function json(name: string, result: unknown): Json {
  const value: unknown = toValue(result)
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid('', `makes the filter ${name} give something that is not a number`)
  }
  return (Array.isArray(value) ? value.map((item: unknown) => item ?? null) : value) as Json
}
