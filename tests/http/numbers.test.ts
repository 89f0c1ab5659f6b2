import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { exportTokens } from '../../electron/host/transfer/export-tokens.ts'
import { importTokens } from '../../electron/host/transfer/import-tokens.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { readJson } from '../../shared/json.ts'
import { argon2id, createOwnerClient, createStoredVault } from '../host/stored-vault.ts'
import { startListener } from '../listener.ts'
import { getRunCount } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'

const spellings = [
  ...[
    '19.90',
    '1.0',
    '-0',
    '-0.0',
    '0e5',
    '1e21',
    '1E21',
    '1e+21',
    '1e2',
    '1.5e300',
    '1e400',
    '-1e400',
    '1e-400',
  ],
  ...['9007199254740992', '9007199254740993', '1234567890123456789012345678901234567890'],
  ...['0.1234567890123456789', '3.141592653589793238', '123456789012345.678', '1.7976931348623157e308'],
  ...['0', '-1', '0.1', '1e-7', '5e-324', '0.30000000000000004'],
]

async function startNumberListener() {
  const listener = await startListener()
  const { key } = await listener.vault.application({
    permissions: ['token-intent:create', 'token-intent:read'],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: ['token:create', 'token:read', 'token:update', 'token:search'],
      },
    ],
  })
  const createToken = async (data: string, more = '') => {
    const created = await listener.request('POST', '/tokens', {
      key,
      raw: `{"type":"token","data":${data}${more}}`,
    })
    expect([data.slice(0, 50), created.status]).toEqual([data.slice(0, 50), 201])
    return created
  }
  const readToken = async (id: string) => (await listener.request('GET', `/tokens/${id}`, { key })).text
  return { ...listener, key, createToken, readToken }
}

/** Returns the exact text of the member `data` in a response. */
function formatData(response: string): string {
  return JSON.stringify((readJson(response) as { data: never }).data)
}

test('A-14 create, get and lists return every number as written', async () => {
  const { request, key, createToken, readToken } = await startNumberListener()
  const data = `{"all":[${spellings.join(',')}],"one":19.90}`
  const { body, text } = await createToken(data)
  expect(formatData(text)).toBe(data)
  expect(formatData(await readToken(body.id))).toBe(data)
  for (const list of ['/v2/tokens', '/tokens']) {
    expect((await request('GET', list, { key })).text).toContain(`"data":${data}`)
  }
  for (const number of spellings) {
    expect(formatData(await readToken((await createToken(number)).body.id))).toBe(number)
  }
})

const arbitraryDigits = (max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max }).map((all) => all.join(''))
const whole = fc.oneof(
  fc.constant('0'),
  arbitraryDigits(40).map((text) => `1${text}`),
)
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(arbitraryDigits(40), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), arbitraryDigits(3)), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent?.join('') ?? ''].join(''),
  )
const name = fc.string({ unit: 'binary' }).filter((text) => text !== '__proto__')
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    fc.oneof(
      name.map((text) => JSON.stringify(text)),
      fc.constantFrom('true', 'false'),
    ),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 4, selector: ([name]) => name })
      // Integer names are left out, because JavaScript always puts them first.
      .map((members) => members.filter(([name]) => !/^\d+$/.test(name)))
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
}))

test('A-14 any JSON text is read and written back exactly', async () => {
  const { createToken, readToken } = await startNumberListener()
  fc.assert(
    fc.property(json, (text) => {
      expect(JSON.stringify(readJson(text))).toBe(text)
    }),
    getRunCount(100),
  )
  fc.assert(
    fc.property(json, (text) => {
      // White space must not change the result, and each number must have the value that V8 parses.
      const spaced = text.replace(/("(?:[^"\\]|\\.)*")|([,:[\]{}])/g, '$1 $2\n\t')
      expect(JSON.stringify(readJson(spaced))).toBe(text)
      expect(JSON.parse(JSON.stringify(readJson(text)))).toEqual(JSON.parse(text))
    }),
    getRunCount(100),
  )
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      expect(formatData(await readToken((await createToken(text)).body.id))).toBe(text)
    }),
    getRunCount(100),
  )
})

test('A-14 A-12 a replayed response has the same numbers', async () => {
  const { request, key } = await startNumberListener()
  const raw = '{"type":"token","data":{"price":19.90,"big":123456789012345678901}}'
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const [first, second] = [
    await request('POST', '/tokens', { key, raw, headers }),
    await request('POST', '/tokens', { key, raw, headers }),
  ]
  expect(second.text).toBe(first.text)
  expect(second.text).toContain('"data":{"price":19.90,"big":123456789012345678901}')
})

test('A-14 T-12 a merge patch preserves old and new numbers as written', async () => {
  const { request, key, createToken, readToken } = await startNumberListener()
  const { body } = await createToken('{"a":1.0,"b":{"c":1e21,"d":2}}', ',"mask":{"m":1.0,"n":"x"}')
  const patched = await request('PATCH', `/tokens/${body.id}`, {
    key,
    raw: '{"data":{"b":{"d":-0},"e":2.50},"mask":{"n":"y"}}',
  })
  expect([patched.status, formatData(patched.text)]).toEqual([
    200,
    '{"a":1.0,"b":{"c":1e21,"d":-0},"e":2.50}',
  ])
  expect(formatData(await readToken(body.id))).toBe('{"a":1.0,"b":{"c":1e21,"d":-0},"e":2.50}')
  expect(patched.text).toContain('"mask":{"m":1.0,"n":"y"}')
  const whole = await request('PATCH', `/tokens/${body.id}`, { key, raw: '{"data":5.00}' })
  expect(formatData(whole.text)).toBe('5.00')
})

test('A-14 O-01 O-02 O-03 tokenize, detokenize and intents preserve numbers as written', async () => {
  const { request, key } = await startNumberListener()
  const tokenized = await request('POST', '/tokenize', {
    key,
    raw: '{"a":19.90,"b":{"type":"token","data":[1.0]}}',
  })
  expect(tokenized.text).toContain('"data":[1.0]')
  const { a, b } = tokenized.body
  const raw = `{"x":"{{ ${a} }}","y":"{{ ${b.id} | first }}","z":"{{ ${a} }} EUR","kept":[1e400,-0,9007199254740993]}`
  const detokenized = await request('POST', '/detokenize', { key, raw })
  expect([detokenized.status, detokenized.text]).toEqual([
    200,
    '{"x":19.90,"y":1.0,"z":"19.90 EUR","kept":[1e400,-0,9007199254740993]}',
  ])
  const intent = await request('POST', '/token-intents', { key, raw: '{"type":"token","data":{"n":1.50}}' })
  const created = await request('POST', '/tokens', { key, body: { token_intent_id: intent.body.id } })
  expect(formatData(created.text)).toBe('{"n":1.50}')
})

test('A-14 T-03 a card accepts an expiry of whole numbers like 1.0 and 2.03e3, but no fractions', async () => {
  const { request, key } = await startNumberListener()
  const data = '{"number":"4242424242424242","expiration_month":1.0,"expiration_year":2.03e3,"cvc":123}'
  const created = await request('POST', '/tokens', { key, raw: `{"type":"card","data":${data}}` })
  expect([created.status, formatData(created.text)]).toEqual([201, data])
  expect(created.body.card).toMatchObject({ expiration_month: 1, expiration_year: 2030 })
  for (const month of ['1.5', '1e400', '13.0', '1.00000000000000000000001']) {
    const raw = `{"type":"card","data":{"number":"4242424242424242","expiration_month":${month}}}`
    expect([month, (await request('POST', '/tokens', { key, raw })).status]).toEqual([month, 400])
  }
})

test('A-14 outside token data, 1.0 is an integer, and a number that a double would change is rejected', async () => {
  const { request, vault } = await startNumberListener()
  const { key } = await vault.application({ type: 'management', permissions: ['application:create'] })
  const createApplication = (priority: string) =>
    request('POST', '/applications', {
      key,
      raw: `{"name":"A","type":"private","rules":[{"priority":${priority},"container":"/","transform":"mask","permissions":["token:read"]}]}`,
    })
  for (const priority of ['1.0', '1e0', '0.1e1', '10e-1']) {
    const created = await createApplication(priority)
    expect([priority, created.status, created.body.rules[0].priority]).toEqual([priority, 201, 1])
  }
  const bounds = { 'rules[0].priority': ['must be an integer from 1 to 1,000,000'] }
  for (const priority of [
    '1.5',
    '1e400',
    '1.00000000000000000001',
    '0.0',
    '-1',
    '1000001.0',
    '1e16',
    '"1"',
  ]) {
    const rejected = await createApplication(priority)
    expect([priority, rejected.status, rejected.body.errors]).toEqual([priority, 400, bounds])
  }
  const named = await request('POST', '/applications', { key, raw: '{"name":1.0,"type":"private"}' })
  expect(named.body.errors.name).toEqual(['must be a string'])
})

test('A-14 E-02 expressions compute with doubles, and return selected numbers as written', async () => {
  const { owner } = (await startNumberListener()).vault
  const data = readJson(
    '{"p":19.90,"n":4.0,"b":1e21,"l":[{"v":2.50,"k":"x"},{"v":1.0,"k":"y"}],"d":[3.0,3.0]}',
  )
  const evaluate = async (template: string) =>
    JSON.stringify((await owner.expressions.preview({ template, data })).result)
  for (const [template, result] of [
    ['{{ data.p }}', '19.90'],
    ['{{ data.p }} EUR', '"19.90 EUR"'],
    ['{{ data.p | append: " EUR" }}', '"19.90 EUR"'],
    ['{{ data.p | reveal_last: 2 }}', '"XXX90"'],
    ['{{ data.p | to_string }}', '"19.90"'],
    ['{{ data.l | stringify }}', '"[{\\"v\\":2.50,\\"k\\":\\"x\\"},{\\"v\\":1.0,\\"k\\":\\"y\\"}]"'],
    ['{{ data.p | plus: 0.1 }}', '20'],
    ['{{ data.p | plus: data.n }}', '23.9'],
    ['{{ data.p | round }}', '20'],
    ['{{ data.n | to_number }}', '4'],
    ['{{ data.b | to_number }}', '1e+21'],
    ['{{ data.n | default: 5 }}', '4.0'],
    ['{{ data.l | map: "v" }}', '[2.50,1.0]'],
    ['{{ data.l | sort: "v" | first }}', '{"v":1.0,"k":"y"}'],
    ['{{ data.l | where: "v", 2.5 | first }}', '{"v":2.50,"k":"x"}'],
    ['{{ data.l | sum: "v" }}', '3.5'],
    ['{{ data.d | uniq }}', '[3.0]'],
    ['{{ data | json: "$.l[1].v" }}', '1.0'],
    ['{{ data | json: "$.l[?@.v == 1].v" }}', '1.0'],
    ['{{ data.l | stringify | json: "$[0].v" }}', '2.50'],
    ['{{ data.p | pad_left: data.n, "0" }}', '"19.90"'],
    ['{{ data.n | date: "%Y" }}', '"1970"'],
    ['{{ data.n | size }}', '0'],
    ['{{ data.l.first.v.size }}', 'null'],
  ] as const) {
    expect([template, await evaluate(template)]).toEqual([template, result])
  }
  // These names need escapes in a normalized path.
  const odd = { 'it\'s "a\\\'b"\n': { list: [readJson('{"v":1.0}'), readJson('{"v":2.0}')] } }
  const found = await owner.expressions.preview({
    template: '{{ data | json: "$..[?@.v > 1].v" }}',
    data: odd,
  })
  expect(JSON.stringify(found.result)).toBe('2.0')
})

test('A-14 E-02 no filter changes digits of a number without an error', async () => {
  const { owner } = (await startNumberListener()).vault
  const data = readJson(
    '{"n":9007199254740993,"m":-9007199254740993,"d":0.1234567890123456789,"t":"0.1234567890123456789","h":1e400}',
  )
  const evaluate = async (template: string) => {
    try {
      return JSON.stringify((await owner.expressions.preview({ template, data })).result)
    } catch (error) {
      return error instanceof CofferError ? error.code : 'no error of the table'
    }
  }
  for (const [template, result] of [
    ['{{ data.n | to_number }}', '9007199254740993'],
    ['{{ data.d | to_number }}', '0.1234567890123456789'],
    ['{{ data.h | to_number }}', '1e400'],
    ['{{ data.t | to_number }}', 'invalid'],
    ['{{ data.n | modulo: 10 }}', '3'],
    ['{{ data.m | modulo: 10 }}', '7'],
    ['{{ data.n | minus: 1 }}', '9007199254740992'],
    ['{{ data.n | minus: data.n }}', '0'],
    ['{{ data.n | plus: 0 }}', 'invalid'],
    ['{{ data.n | round }}', 'invalid'],
    ['{{ data.n | floor }}', 'invalid'],
    ['{{ data.m | abs }}', 'invalid'],
    ['{{ data.n | at_most: 99 }}', '99'],
    ['{{ 9007199254740993 }}', '9007199254740993'],
    ['{{ nil | default: -09007199254740993 }}', '-9007199254740993'],
    ['{{ "x" | append: 12345678901234567890.5 }}', '"x12345678901234567890.5"'],
    ['{{ 9007199254740993 | modulo: 10 }}', '3'],
    ['{{ 0 | plus: 9007199254740993 }}', 'invalid'],
    ['{{ data.n | minus: 9007199254740993 }}', '0'],
    ['{{ "abc" | slice: 1, 99999999999999999999 }}', '"bc"'],
    ['{{ "abc" | truncate: 99999999999999999999 }}', '"abc"'],
    ['{{ 5. | plus: +005 }}', '10'],
    [`{{ ${'9'.repeat(1001)} }}`, 'invalid'],
  ] as const) {
    expect([template, await evaluate(template)]).toEqual([template, result])
  }
})

test('A-14 T-09 L-09 fingerprints and searches use a number as written', async () => {
  const { request, key, createToken } = await startNumberListener()
  const [one, other, third] = [await createToken('1.0'), await createToken('1'), await createToken('1.0')]
  expect(one.body.fingerprint).toBe(third.body.fingerprint)
  expect(one.body.fingerprint).not.toBe(other.body.fingerprint)
  const priced = await createToken('{"price":19.90}', ',"search_indexes":["{{ data.price }}"]')
  const searchTokens = (query: string) => request('POST', '/v2/tokens/search', { key, body: { query } })
  expect((await searchTokens('data:19.90')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    priced.body.id,
  ])
  expect((await searchTokens('data:19.9')).body.data).toEqual([])
})

test('A-14 export and import preserve numbers as written', async () => {
  const { vault, createToken } = await startNumberListener()
  const data = `{"all":[${spellings.join(',')}]}`
  const { body } = await createToken(data, ',"mask":{"n":2.0,"all":"{{ data.all }}"}')
  const file = path.join(createTempFolder(), 'out.ndjson')
  await exportTokens(vault.engine, { file, format: 'ndjson', clear: true })
  await exportTokens(vault.engine, { file: `${file}.csv`, format: 'csv', clear: true })
  expect(fs.readFileSync(file, 'utf8')).toContain(`"data":${data},"mask":{"n":2.0,`)
  expect(fs.readFileSync(`${file}.csv`, 'utf8')).toContain(`"${data.replaceAll('"', '""')}"`)
  await vault.owner.tokens.remove({ id: body.id })
  const order = { file, format: 'ndjson', mapping: null, dry_run: false, again: false } as const
  expect(await importTokens(vault.engine, order)).toMatchObject({ created: 1, refused: 0 })
  expect(JSON.stringify((await vault.owner.tokens.reveal({ id: body.id })).data)).toBe(data)
})

test('A-14 a restored backup has numbers as written', { tags: 'thorough' }, async () => {
  const { dataDir, vault, owner, recovery_key } = await createStoredVault()
  const data = readJson(`[${spellings.join(',')}]`)
  const { id } = await owner.tokens.create({ type: 'token', data })
  const { file } = await backUpOpenVault(vault, { dataDir })
  const protection = { passphrase: 'on another machine', argon2id }
  const other = await restoreVault({ dataDir, name: 'other', file, protection, with: { recovery_key } })
  onTestFinished(() => other.lock())
  expect(JSON.stringify((await createOwnerClient(other).tokens.reveal({ id })).data)).toBe(
    JSON.stringify(data),
  )
})
