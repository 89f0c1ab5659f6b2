import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { hostCommands } from '../../electron/host/commands/catalogue.ts'
import { faultRules } from '../../shared/schemas/fault.ts'
import { createValidationError } from '../../shared/validation.ts'
import { z } from '../../shared/zod.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

test('A-05 a validation error says what each member must be', async () => {
  const { owner } = openBriefVault()
  const search_indexes = Array.from({ length: 11 }, () => '{{ data }}')
  const calls = [
    owner.applications.create({} as never),
    owner.applications.create({ name: '', type: 'other', permissions: 'token:read' } as never),
    owner.applications.create({ name: 'a'.repeat(201), type: 'private', permissions: [] }),
    owner.tokens.list({ size: 1000 }),
    owner.tokens.list({ size: 'many' }),
    owner.tokens.list({ size: true } as never),
    owner.tokens.list({ metadata: 1 } as never),
    owner.tokens.searchV1({ size: '5', page: 1.5 } as never),
    owner.tokens.searchV1({ size: 1e16 } as never),
    owner.tokens.searchV1({ size: -1e16 } as never),
    owner.tokens.create({ type: 'token', data: 1, search_indexes }),
    owner.tokens.create([] as never),
  ]
  const errors = (await Promise.all(calls.map(catchProblem))).map((problem) => problem.errors)
  expect(errors).toEqual([
    { name: ['is required'], type: ['is required'] },
    {
      name: ['must not be empty'],
      type: ['must be one of private, public, management'],
      permissions: ['must be a list'],
    },
    {
      name: ['must have at most 200 characters'],
      permissions: ['must not be empty unless there are rules'],
    },
    { size: ['must be at most 100'] },
    { size: ['must be a whole number'] },
    { size: ['must be a whole number'] },
    { metadata: ['must be an object of strings'] },
    { size: ['must be a number'], page: ['must be an integer'] },
    { size: ['must be at most 100'] },
    { size: ['must be at least 1'] },
    { search_indexes: ['must have at most 10 items'] },
    { body: ['must be an object'] },
  ])
})

test('A-05 an error lists each message only once', async () => {
  const { owner } = openBriefVault()
  const { id } = await owner.tokens.create({ type: 'token', data: 1 })
  const cases = [
    owner.tokens.update({ id, data: null }),
    owner.tokens.create({ type: 'token', data: 1, metadata: { '': 'x', ['k'.repeat(201)]: 'x' } }),
    owner.tokens.detokenize({ payload: { x: `{{ ${id} | nope }}` } }),
    owner.applications.create({ name: 'A', type: 'private', permissions: [], rules: [] }),
    owner.applications.create({ name: 'A', type: 'management', permissions: ['token:read'] }),
  ]
  const problems = await Promise.all(cases.map(catchProblem))
  expect(problems.map(({ errors }) => errors)).toEqual([
    { data: ['must not be null'] },
    { metadata: ['must have keys of 1 to 200 characters'] },
    { x: ['has an unknown filter: nope'] },
    { permissions: ['must not be empty unless there are rules'] },
    { 'permissions[0]': ['names token:read, which a management application may not hold'] },
  ])
  expect(problems.slice(0, 3).map(({ detail }) => detail)).toEqual([
    'data must not be null',
    'metadata must have keys of 1 to 200 characters',
    'x has an unknown filter: nope',
  ])
})

const inputs: [string, z.ZodType][] = [
  ...[...catalogue].map(([name, { input }]): [string, z.ZodType] => [name, input]),
  ...Object.entries(hostCommands.host).map(([name, { input }]): [string, z.ZodType] => [
    `host.${name}`,
    input,
  ]),
  ['faults', faultRules],
]

function listMembers(input: z.ZodType): string[] {
  const built = input instanceof z.ZodLazy ? input.unwrap() : input
  return built instanceof z.ZodObject ? Object.keys(built.shape) : []
}

describe('random input', () => {
  const sentence = /^(must|is|has|takes|needs|gives|goes|holds) (?!not what is expected)/
  // Input of the host's commands comes only from forms of the window.
  const ofHost = /^(must|is|has|takes|needs) /
  test.each(inputs)('A-05 %s rejects random input only with Coffer’s own messages', (name, input) => {
    const members = listMembers(input)
    const allowed = name.startsWith('host.') ? ofHost : sentence
    const anything = fc.oneof(
      fc.anything(),
      fc.record(Object.fromEntries(members.map((name) => [name, fc.anything()])), { requiredKeys: [] }),
      fc.record(
        Object.fromEntries(
          members.map((name) => [name, fc.constantFrom('x', -1, 1e300, [[]], [{}], {}, true)]),
        ),
      ),
    )
    fc.assert(
      fc.property(anything, (value) => {
        const parsed = input.safeParse(value)
        if (parsed.success) return
        for (const messages of Object.values(createValidationError(parsed.error).errors ?? {})) {
          for (const message of messages) expect(message).toMatch(allowed)
          expect(new Set(messages).size).toBe(messages.length)
        }
      }),
      getFuzzParameters(200),
    )
  })
})
