import { LONGEST_EXPRESSION, problemOfExpression } from '../regular-expression.ts'
import { z } from '../zod.ts'
import { json } from './common.ts'
import { isShortRuntime, LONG_RUNTIME } from './configured.ts'

export const transformTypes = [
  'code',
  'mask',
  'tokenize',
  'append_json',
  'append_header',
  'append_text',
] as const
export type TransformType = (typeof transformTypes)[number]

const options = z.strictObject({
  /** A token request, with expressions inside. */
  token: z.record(z.string(), json).optional(),
  identifier: z.string().min(1).max(100).optional(),
  value: z.string().max(65_536).optional(),
  location: z.string().min(1).max(1_000).optional(),
  runtime: json.optional(),
})

/** One transform of a proxy (rule G-05). Which members a type takes is checked by `requestTransforms` and `responseTransforms`. */
export const transform = z
  .strictObject({
    type: z.enum(transformTypes).optional(),
    code: z.string().min(1).max(50_000).optional(),
    matcher: z.enum(['regex', 'chase_stratus_pan']).optional(),
    expression: z.string().min(1).max(LONGEST_EXPRESSION).optional(),
    replacement: z.string().optional(),
    options: options.optional(),
  })
  .meta({ id: 'ProxyTransform' })
export type ProxyTransform = z.output<typeof transform>

/** The type of a transform: `code` unless it says otherwise. */
export function typeOf({ type }: ProxyTransform): TransformType {
  return type ?? 'code'
}

type Member = 'code' | 'matcher' | 'expression' | 'replacement'
const members: readonly Member[] = ['code', 'matcher', 'expression', 'replacement']
type Option = keyof z.output<typeof options>

/** What each type needs and may have; whatever is not named is refused. */
const takes: Record<
  TransformType,
  {
    needs: readonly Member[]
    may: readonly Member[]
    options: readonly Option[]
    mayOptions: readonly Option[]
  }
> = {
  code: { needs: ['code'], may: [], options: [], mayOptions: ['runtime'] },
  mask: { needs: ['matcher', 'replacement'], may: ['expression'], options: [], mayOptions: [] },
  tokenize: { needs: [], may: [], options: ['token'], mayOptions: ['identifier'] },
  append_json: { needs: [], may: [], options: ['value', 'location'], mayOptions: [] },
  append_header: { needs: [], may: [], options: ['value', 'location'], mayOptions: [] },
  append_text: { needs: [], may: [], options: ['value'], mayOptions: [] },
}

type Issue = { readonly path: readonly (string | number)[]; readonly message: string }

/** What is wrong with the members of one transform, beyond their own types. */
function problemsOfTransform(given: ProxyTransform, side: 'request' | 'response'): Issue[] {
  const type = typeOf(given)
  const rule = takes[type]
  const issues: Issue[] = []
  if (type === 'mask' && side === 'request')
    issues.push({ path: ['type'], message: 'must not be mask in a request' })
  for (const name of members) {
    if (rule.needs.includes(name) && given[name] === undefined)
      issues.push({ path: [name], message: 'is required' })
    if (given[name] !== undefined && !rule.needs.includes(name) && !rule.may.includes(name))
      issues.push({ path: [name], message: `is not for a transform of type ${type}` })
  }
  for (const name of Object.keys(options.shape) as Option[]) {
    const value = given.options?.[name]
    if (rule.options.includes(name) && value === undefined)
      issues.push({ path: ['options', name], message: 'is required' })
    if (value !== undefined && !rule.options.includes(name) && !rule.mayOptions.includes(name))
      issues.push({ path: ['options', name], message: `is not for a transform of type ${type}` })
  }
  if (!isShortRuntime(given.options?.runtime))
    issues.push({ path: ['options', 'runtime'], message: LONG_RUNTIME })
  if (type === 'mask') issues.push(...problemsOfMask(given))
  return issues
}

function problemsOfMask({ matcher, expression, replacement }: ProxyTransform): Issue[] {
  const issues: Issue[] = []
  if (replacement !== undefined && Array.from(replacement).length !== 1)
    issues.push({ path: ['replacement'], message: 'must be exactly one character' })
  if (matcher === 'chase_stratus_pan' && expression !== undefined)
    issues.push({ path: ['expression'], message: 'is not for the matcher chase_stratus_pan' })
  if (matcher !== 'regex') return issues
  if (expression === undefined) return [...issues, { path: ['expression'], message: 'is required' }]
  const problem = problemOfExpression(expression)
  if (problem !== undefined) issues.push({ path: ['expression'], message: problem })
  return issues
}

/**
 * A transform without its members that are empty, which count as absent: Terraform's provider sends '' for whatever its
 * configuration leaves out. The value to append may be empty.
 */
function withoutEmpty(given: unknown): unknown {
  if (!isObject(given)) return given
  const { type } = given
  const takesValue = typeof type === 'string' && type.startsWith('append_')
  const empty = ['identifier', 'location', ...(takesValue ? [] : ['value'])]
  return {
    ...without(given, members),
    ...(isObject(given.options) && { options: without(given.options, empty) }),
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function without(given: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== '' || !names.includes(name)),
  )
}

const newTransform = z.preprocess(withoutEmpty, transform)

function listFor(side: 'request' | 'response') {
  return z
    .array(newTransform)
    .max(20)
    .superRefine((list, context) => {
      for (const [at, each] of list.entries()) {
        for (const { path, message } of problemsOfTransform(each, side))
          context.addIssue({ code: 'custom', path: [at, ...path], message })
      }
      if (list.filter((each) => typeOf(each) === 'code').length > 1)
        context.addIssue({ code: 'custom', message: 'must not have more than one transform of type code' })
      const names = list.flatMap((each) => each.options?.identifier ?? [])
      if (new Set(names).size < names.length)
        context.addIssue({ code: 'custom', message: 'must not use an identifier twice' })
    })
}

function oneFor(side: 'request' | 'response') {
  return newTransform.superRefine((each, context) => {
    for (const { path, message } of problemsOfTransform(each, side))
      context.addIssue({ code: 'custom', path: [...path], message })
  })
}

export const requestTransforms = listFor('request')
export const responseTransforms = listFor('response')
export const requestTransform = oneFor('request')
export const responseTransform = oneFor('response')
