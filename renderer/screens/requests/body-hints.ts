import type { Find } from '../../../shared/find.ts'
import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import type { ApiSchema } from '../../parts/api/api-document.ts'
import type { JsonHints, JsonSuggestion, JsonSuggestions } from '../../ui/text/editor/json-props.ts'
import type { JsonPlace } from '../../ui/text/editor/json-scan.ts'
import { resolveSchema } from './check-body.ts'
import type { Variables } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.hints
const MAX_TOKENS = 20
const MAX_MASKED_LENGTH = 60
const MASK = '••••••••'

type FoundToken = Pick<Token, 'id' | 'type' | 'data'>

export type HintContext = {
  /** The variables of the selected environment. */
  readonly variables: Variables
  /** Finds the newest tokens; null for an application, whose key would find fewer than the search of the owner. */
  readonly findTokens: ((find: Find, size: number) => Promise<readonly FoundToken[]>) | null
}

type FindTokens = NonNullable<HintContext['findTokens']>
type BodyContext = HintContext & { readonly schema: ApiSchema; readonly schemas: JsonObject }

export function createBodyHints(context: BodyContext): JsonHints {
  const { schema, schemas, variables, findTokens } = context
  return {
    async suggestNext(place) {
      const references = await suggestReferences(place.typed, context)
      if (references) return references
      const suggestions = suggestBySchema(place, schema, schemas)
      return suggestions.length === 0 ? null : { replaced: place.typed, suggestions }
    },
    async describeReference(reference) {
      const name = /^\$\{(\w+)\}$/.exec(reference)?.[1]
      if (name !== undefined) return describeVariable(name, variables)
      const id = /^\{\{\s*(?:token:\s*)?([\w-]+)|^([\w-]{8,})$/.exec(reference)
      return findTokens && describeToken(id?.[1] ?? id?.[2] ?? '', findTokens)
    },
  }
}

/** Suggests variables after `${` and tokens after `{{`; null elsewhere. */
export async function suggestReferences(
  typed: string,
  { variables, findTokens }: HintContext,
): Promise<JsonSuggestions | null> {
  const [variable, name = ''] = /\$\{(\w*)$/.exec(typed) ?? []
  if (variable !== undefined) {
    const names = Object.keys(variables).filter((each) => each.startsWith(name))
    const suggestions = names.map((each) => ({
      text: `\${${each}}`,
      detail: maskValue(variables[each] ?? ''),
    }))
    return { replaced: variable, suggestions }
  }
  const [open, kind = '', text = ''] = /\{\{\s*(token:\s*)?([^{}|"']*)$/.exec(typed) ?? []
  if (open === undefined || !findTokens) return null
  const found = await suggestTokens(text, findTokens)
  const prefix = kind === '' ? '' : 'token: '
  return {
    replaced: open,
    suggestions: found.map((each) => ({ ...each, text: `{{ ${prefix}${each.text} }}` })),
  }
}

/** The newest tokens that the Tokens screen finds by a text: their ids, with their masked data. */
export async function suggestTokens(text: string, findTokens: FindTokens): Promise<JsonSuggestion[]> {
  const trimmed = text.trim().slice(0, 500)
  const find = trimmed === '' ? {} : { text: trimmed }
  const tokens = await findTokens(find, MAX_TOKENS)
  return tokens.map((token) => ({ text: token.id, detail: describeData(token) }))
}

async function describeToken(id: string, findTokens: FindTokens): Promise<string | null> {
  if (id === '') return null
  const token = (await findTokens({ id }, 1)).find((each) => each.id === id)
  return token ? describeData(token) : null
}

/** SECURITY: the data of a list, which the vault has masked; never what a reveal would show. */
function describeData({ type, data }: FoundToken): string {
  if (data === undefined) return t.noMask(String(type))
  const shown = isObject(data) ? (data.number ?? data.account_number ?? data) : data
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
  return `${type} ${text.slice(0, MAX_MASKED_LENGTH)}`
}

function describeVariable(name: string, variables: Variables): string {
  return Object.hasOwn(variables, name) ? `${name}: ${maskValue(variables[name] ?? '')}` : t.unknown(name)
}

/** SECURITY: a variable may be a key or a password. */
function maskValue(value: string): string {
  return value === '' ? t.empty : value.length < 16 ? MASK : `${MASK}${value.slice(-4)}`
}

function suggestBySchema(
  { expects, path, present, typed }: JsonPlace,
  schema: ApiSchema,
  schemas: JsonObject,
): JsonSuggestion[] {
  const around = path.reduce(
    (found, part) => found.flatMap((each) => enterMember(each, part, schemas)),
    [schema],
  )
  const known = around.flatMap((each) => listAlternatives(each, schemas))
  if (expects === 'name') {
    const start = typed.replace(/^"/, '').toLowerCase()
    return known
      .flatMap((each) => listMembers(each, schemas))
      .filter(({ name }) => !present.includes(name) && name.toLowerCase().startsWith(start))
      .map(({ name, detail }) => ({ text: `${JSON.stringify(name)}: `, detail }))
  }
  if (expects !== 'value') return []
  return known
    .flatMap(listValues)
    .map((value) => ({ text: JSON.stringify(value), detail: '' }))
    .filter(({ text }) => text.startsWith(typed))
}

/** The schemas that a value may have: alternatives are taken apart, references followed. */
function listAlternatives(schema: ApiSchema, schemas: JsonObject): ApiSchema[] {
  const resolved = resolveSchema(schema, schemas)
  const alternatives = Array.isArray(resolved.anyOf) ? resolved.anyOf.filter(isObject) : []
  if (alternatives.length === 0) return [resolved]
  return alternatives.flatMap((each) => listAlternatives(each, schemas))
}

function enterMember(schema: ApiSchema, part: string, schemas: JsonObject): ApiSchema[] {
  return listAlternatives(schema, schemas)
    .map(({ items, properties, additionalProperties: others }) =>
      part.startsWith('[') ? items : ((isObject(properties) ? properties[part] : undefined) ?? others),
    )
    .filter(isObject)
}

function listMembers({ properties, required }: ApiSchema, schemas: JsonObject) {
  const needed = Array.isArray(required) ? required : []
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const alternatives = isObject(schema) ? listAlternatives(schema, schemas) : []
    const types = [...new Set(alternatives.flatMap(({ type }) => [type].flat()))].filter(
      (type) => typeof type === 'string' && type !== 'null',
    )
    const isNeeded = needed.includes(name)
    return { name, isNeeded, detail: [types.join(' or '), isNeeded && t.required].filter(Boolean).join(', ') }
  })
  return members.sort((a, b) => Number(b.isNeeded) - Number(a.isNeeded))
}

function listValues({ enum: values, const: only, type }: ApiSchema): Json[] {
  if (Array.isArray(values)) return values
  if (only !== undefined) return [only]
  return type === 'boolean' ? [true, false] : []
}
