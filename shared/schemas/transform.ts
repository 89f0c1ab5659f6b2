import { findExpressionProblem, MAX_PATTERN_LENGTH } from '../regular-expression.ts'
import { z } from '../zod.ts'
import { json, optionalField } from './common.ts'
import { storedRuntime, transformRuntime } from './runtime.ts'

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
  token: z.object({}).catchall(json).optional(),
  identifier: z.string().max(100).optional(),
  value: z.string().max(65_536).optional(),
  location: z.string().max(1_000).optional(),
  runtime: optionalField(transformRuntime),
})

type TransformField = 'code' | 'matcher' | 'expression' | 'replacement'
const members: readonly TransformField[] = ['code', 'matcher', 'expression', 'replacement']
type Option = keyof z.output<typeof options>

/** The members that each type requires and allows; all others are rejected. */
const takes: Record<
  TransformType,
  {
    needs: readonly TransformField[]
    may: readonly TransformField[]
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

/** For the OpenAPI document: the transforms of a type that lack a member, or have one that is not for the type. */
function describeWrong(type: TransformType) {
  const { needs, may, options: needed, mayOptions } = takes[type]
  const notFor = members.filter((name) => ![...needs, ...may].includes(name))
  const allowed: readonly string[] = [...needed, ...mayOptions]
  const optionsNotFor = Object.keys(options.shape).filter((name) => !allowed.includes(name))
  const inOptions = (names: readonly string[]) => ({
    required: ['options'],
    properties: { options: { required: names } },
  })
  return {
    // A transform without a type has the type code.
    ...(type !== 'code' && { required: ['type'] }),
    properties: { type: { const: type } },
    anyOf: [
      { not: { required: needs } },
      ...(needed.length > 0 ? [{ not: inOptions(needed) }] : []),
      ...notFor.map((name) => ({ required: [name] })),
      ...optionsNotFor.map((name) => inOptions([name])),
    ],
  }
}

/** A new transform of a proxy (rule G-05), without its empty members. Each side checks which members a type allows. */
const transformInput = z
  .strictObject({
    type: z.enum(transformTypes).optional(),
    code: z.string().max(50_000).optional(),
    matcher: z.enum(['regex', 'chase_stratus_pan']).optional(),
    expression: z.string().max(MAX_PATTERN_LENGTH).optional(),
    replacement: z.string().optional(),
    options: options.optional(),
  })
  .meta({ id: 'NewProxyTransform', not: { anyOf: transformTypes.map(describeWrong) } })

/** One stored transform of a proxy. */
export const transform = transformInput
  .extend({ options: options.extend({ runtime: storedRuntime.optional() }).optional() })
  .meta({ id: 'ProxyTransform' })
export type ProxyTransform = z.output<typeof transform>

/** Returns the type of a transform: `code` by default. */
export function getTransformType({ type }: ProxyTransform): TransformType {
  return type ?? 'code'
}

type TransformIssue = { readonly path: readonly (string | number)[]; readonly message: string }

/** Lists the problems of a transform that depend on its type and side, such as a missing or unexpected member. */
function listTransformIssues(transformInput: ProxyTransform, side: 'request' | 'response'): TransformIssue[] {
  const type = getTransformType(transformInput)
  const rule = takes[type]
  const issues: TransformIssue[] = []
  if (type === 'mask' && side === 'request')
    issues.push({ path: ['type'], message: 'must not be mask in a request' })
  issues.push(...listMemberIssues(type, [], transformInput, members, rule))
  const allowedOptions = { needs: rule.options, may: rule.mayOptions }
  const optionsInput = transformInput.options ?? {}
  issues.push(
    ...listMemberIssues(type, ['options'], optionsInput, Object.keys(options.shape), allowedOptions),
  )
  if (type === 'mask') issues.push(...listMaskIssues(transformInput))
  return issues
}

function listMemberIssues(
  type: TransformType,
  path: readonly string[],
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
  { needs, may }: { readonly needs: readonly string[]; readonly may: readonly string[] },
): TransformIssue[] {
  return names.flatMap((name) => {
    const isSet = input[name] !== undefined
    if (needs.includes(name)) return isSet ? [] : [{ path: [...path, name], message: 'is required' }]
    if (!isSet || may.includes(name)) return []
    return [{ path: [...path, name], message: `is not for a transform of type ${type}` }]
  })
}

function listMaskIssues({ matcher, expression, replacement }: ProxyTransform): TransformIssue[] {
  const issues: TransformIssue[] = []
  if (replacement !== undefined && Array.from(replacement).length !== 1)
    issues.push({ path: ['replacement'], message: 'must be exactly one character' })
  if (matcher === 'chase_stratus_pan' && expression !== undefined)
    issues.push({ path: ['expression'], message: 'is not for the matcher chase_stratus_pan' })
  if (matcher !== 'regex') return issues
  if (expression === undefined) return [...issues, { path: ['expression'], message: 'is required' }]
  const problem = findExpressionProblem(expression)
  if (problem !== undefined) issues.push({ path: ['expression'], message: problem })
  return issues
}

/**
 * Removes empty members, which count as absent: Terraform's provider sends '' for everything that its configuration
 * leaves out. The value to append is the exception: it may be empty.
 */
function removeEmptyFields(input: unknown): unknown {
  if (!isObject(input)) return input
  const { type } = input
  const takesValue = typeof type === 'string' && type.startsWith('append_')
  const empty = ['identifier', 'location', ...(takesValue ? [] : ['value'])]
  return {
    ...removeEmpty(input, members),
    ...(isObject(input.options) && { options: removeEmpty(input.options, empty) }),
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function removeEmpty(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== '' || !names.includes(name)),
  )
}

const newTransform = z.preprocess(removeEmptyFields, transformInput)

function listFor(side: 'request' | 'response') {
  return z
    .array(newTransform)
    .max(20)
    .superRefine((list, context) => {
      for (const [at, each] of list.entries()) {
        for (const { path, message } of listTransformIssues(each, side))
          context.addIssue({ code: 'custom', path: [at, ...path], message })
      }
      if (list.filter((each) => getTransformType(each) === 'code').length > 1)
        context.addIssue({ code: 'custom', message: 'must not have more than one transform of type code' })
      const names = list.flatMap((each) => each.options?.identifier ?? [])
      if (new Set(names).size < names.length)
        context.addIssue({ code: 'custom', message: 'must not use an identifier twice' })
    })
}

function oneFor(side: 'request' | 'response') {
  return newTransform.superRefine((each, context) => {
    for (const { path, message } of listTransformIssues(each, side))
      context.addIssue({ code: 'custom', path: [...path], message })
  })
}

export const requestTransforms = listFor('request')
export const responseTransforms = listFor('response')
export const requestTransform = oneFor('request')
export const responseTransform = oneFor('response')
