import fc from 'fast-check'
import { expect, test } from 'vitest'
import { examples } from '../../electron/engine/expressions/examples.ts'
import {
  clearTemplateCache,
  compileExpression,
  evaluateTemplate,
} from '../../electron/engine/expressions/template.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import { parseQueryV1, parseQueryV2 } from '../../electron/engine/resources/tokens/search/search-query.ts'
import { CofferError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import { catchRejection, fuzzTimeout, getFuzzParameters, mutatedTexts } from '../fuzz.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const canary = 'canary-5f1e'
const data = {
  number: '4242424242424242',
  secret: canary,
  list: [1, 'two', { three: [null, true] }],
  deep: { deeper: { deepest: canary } },
} satisfies Json

const liquid = [
  ...['{{', '}}', '{%', '%}', '|', ':', ',', '.', "'", '"', '[', ']', '(', ')', '..', '-', ' ', '\n', '\\'],
  ...[
    'data',
    'data.',
    'number',
    'list',
    '__proto__',
    'constructor',
    'size',
    'first',
    'nil',
    'true',
    'raw',
    'if',
  ],
  ...[
    '999999999',
    '-1',
    '1e9',
    '0.5',
    'reveal_last: 4',
    '| json: "$..*"',
    '| times: 9',
    '| append: data.secret',
  ],
]
const filters = [...new Set(examples.map(({ filter }) => filter))]
const source = fc.oneof(
  mutatedTexts(
    examples.map(({ expression }) => expression),
    [...liquid, ...filters],
  ),
  fc
    .array(fc.constantFrom(...liquid, ...filters), { maxLength: 30 })
    .map((pieces) => `{{ ${pieces.join(' ')} }}`),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `{{ data | ${text}`),
)

test(
  'X-21 E-01 any expression gives JSON or an error, within limits',
  () => {
    fc.assert(
      fc.property(source, fc.constantFrom<Json>(data, canary, 42, null, [data]), (text, value) => {
        let result: Json = null
        const refusal = catchRejection(() => {
          result = evaluateTemplate(
            new WorkBudget(),
            compileExpression(new WorkBudget(), text, 'mask'),
            { data: value },
            'mask',
          )
        })
        if (refusal) {
          expect(Object.keys(refusal.errors ?? {})).toEqual(['mask'])
          expect(refusal.message).not.toContain(canary)
        } else expect(JSON.parse(JSON.stringify(result))).toEqual(result)
      }),
      getFuzzParameters(1200),
    )
    clearTemplateCache()
  },
  fuzzTimeout,
)

const queries = [
  'type:card',
  'fingerprint:CC2XvyoohnqecEq4r3FtXv6MdCx4TbaW1UUTdCCN5MNL AND container:/pci/high/',
  'metadata.user_id:"34 445" AND metadata."a key":b',
  'data:"6789"',
  'id:"c06d0789-0a38-40be-b7cc-c28a718f76f1"',
  'container:"/a/" AND data:x',
]
const lucene = [
  'AND',
  'OR',
  'NOT',
  ':',
  '"',
  '\\',
  '\\"',
  '(',
  ')',
  '*',
  '~',
  '^',
  ' ',
  '/',
  'metadata.',
  'data:',
  '[a TO b]',
]
const query = fc.oneof(
  mutatedTexts(queries, lucene),
  fc.array(fc.constantFrom(...lucene, ...queries), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
)

test(
  'L-07 L-08 any search query is parsed or rejected with a reason',
  () => {
    fc.assert(
      fc.property(query, (text) => {
        for (const parse of [parseQueryV1, parseQueryV2]) {
          const refusal = catchRejection(() => parse(text))
          if (refusal) expect(refusal.errors?.query?.[0]).toBeTruthy()
        }
      }),
      getFuzzParameters(2000),
    )
  },
  fuzzTimeout,
)

test(
  'L-07 L-08 any search gets a result or an error',
  async () => {
    const { owner } = openBriefVault()
    await owner.tokens.create({
      type: 'token',
      data: 'x',
      metadata: { a: 'b' },
      search_indexes: ['{{ data }}'],
    })
    await fc.assert(
      fc.asyncProperty(query, async (query) => {
        for (const search of [owner.tokens.search, owner.tokens.searchV1]) {
          const response = search({ query })
          await response.catch((error: CofferError) => expect(error.status).toBe(400))
        }
      }),
      getFuzzParameters(300),
    )
  },
  fuzzTimeout,
)

test(
  'L-04 only cursors that were issued are accepted',
  async () => {
    const { owner } = openBriefVault()
    for (let each = 0; each < 4; each++) await owner.tokens.create({ type: 'token', data: each })
    const { next = '' } = (await owner.tokens.list({ size: 1 })).pagination
    const { next: ofLog = '' } = (await owner.logs.list({ size: 1 })).pagination
    const bytes = Buffer.from(next, 'base64url')
    const cursor = fc.oneof(
      fc.nat(bytes.length * 8 - 1).map((bit) => {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return flipped.toString('base64url')
      }),
      fc.nat(next.length - 1).map((length) => next.slice(0, length)),
      fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each).toString('base64url')),
      mutatedTexts([next], ['A', '=', '-', '_', '.', ' ', '%00', '\0']),
      fc.constant(ofLog),
    )
    await fc.assert(
      fc.asyncProperty(cursor, async (start) => {
        fc.pre(start !== next)
        expect((await catchProblem(owner.tokens.list({ size: 1, start }))).status).toBe(400)
        expect((await catchProblem(owner.tokens.search({ size: 1, start }))).status).toBe(400)
      }),
      getFuzzParameters(400),
    )
    expect((await owner.tokens.list({ size: 1, start: next })).data).toHaveLength(1)
  },
  fuzzTimeout,
)

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('token', '/a/', '{{ data }}', ''),
)
const anything = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }).map((value) => value as Json)
/** Any JSON value, or an object with the members of an operation, each of them arbitrary or almost valid. */
function arbitraryInput(members: readonly string[]): fc.Arbitrary<Json> {
  const nearly = fc.oneof(
    text,
    anything,
    fc.constantFrom<Json>(true, 1, -1, [], {}, 'card', ['/a/'], { a: 'b' }),
  )
  if (members.length === 0) return anything
  const member = fc.constantFrom(...members, '__proto__', 'id')
  return fc.oneof(anything, fc.array(fc.tuple(member, nearly), { maxLength: 6 }).map(Object.fromEntries))
}

test(
  'A-06 X-08 no JSON input makes an operation fail with a 500',
  async () => {
    const { engine, owner } = openBriefVault()
    const { id } = await owner.tokens.create({ type: 'token', data: 'x' })
    const named = fc.constantFrom(...catalogue).chain(([name, { input }]) => {
      const shape = 'shape' in input && typeof input.shape === 'object' ? Object.keys(input.shape ?? {}) : []
      return arbitraryInput(shape).map((input) => ({ name, input }))
    })
    await fc.assert(
      fc.asyncProperty(named, async ({ name, input }) => {
        await engine.call(name, input, { kind: 'owner' }).catch((error: unknown) => {
          if (!(error instanceof CofferError) || error.status >= 500) throw error
        })
      }),
      { ...getFuzzParameters(600), examples: [[{ name: 'proxies.invoke', input: { headers: [false] } }]] },
    )
    expect((await owner.tokens.get({ id })).id).toBe(id)
  },
  fuzzTimeout,
)
