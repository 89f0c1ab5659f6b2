import { expect, test } from 'vitest'
import { expectShortTurns, getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { createNetworkToken } from '../network-tokens.ts'
import { isThorough } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { number, startReactors } from './start-reactors.ts'

test('X-54 many simultaneous runs each get their own result', async () => {
  const { storeReactor, request, vault } = await startReactors()
  const id = await storeReactor('module.exports = (req) => ({ raw: req.args.n })')
  const runs = Array.from({ length: isThorough ? 100 : 30 }, (_, n) =>
    request('POST', `/reactors/${id}/react`, { body: { args: { n } } }),
  )
  const others = await vault.owner.tokens.create({ type: 'token', data: 'meanwhile' })
  expect(others.type).toBe('token')
  const responses = await Promise.all(runs)
  expect(responses.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
  expect(responses.map(({ body }) => body.raw)).toEqual(runs.map((_, n) => n))
})

test('X-54 the key of a run is not logged, and is revoked after the run', async () => {
  const { vault, request, runReactor, listRecords } = await startReactors()
  const { id } = await vault.application({ permissions: ['token:create'] } as never)
  const code = 'module.exports = ({ applicationOptions }) => ({ raw: applicationOptions.apiKey })'
  const { body } = await runReactor(code, {}, { application: { id } })
  expect(body.raw).toMatch(/^run-[\w-]{43}$/)
  expect(
    await request('POST', '/tokens', { body: { type: 'token', data: 'x' }, key: body.raw }),
  ).toMatchObject({ status: 401 })
  expect(await request('POST', '/tokens', { body: { type: 'token', data: 'x' }, key: 'run-' })).toMatchObject(
    { status: 401 },
  )
  expect(JSON.stringify(await listRecords())).not.toContain(body.raw.slice(4))
})

test('X-58 a stored run contains no token values that its code printed', async () => {
  const { runReactor, card, vault } = await startReactors()
  const code = `module.exports = ({ args: { n } }) => {
    for (const form of [n, n.replace(/(.{4})/g, '$1 '), encodeURIComponent('a' + n), JSON.stringify({ n }),
      Buffer.from(n).toString('hex'), Buffer.from('x' + n).toString('base64'), 'x'.repeat(9000) + n]) console.log(form)
    return { raw: 1, tokenize: { made: 'a value of its own' } , seen: console.log('a value of its own') }
  }`
  const { status } = await runReactor(code, { n: `{{ ${card} | json: '$.number' }}` })
  expect(status).toBe(200)
  const { id } = await waitForRun({ vault })
  const stored = JSON.stringify(await vault.owner.reactorRuns.get({ id }))
  expect(stored).toContain('••••••••')
  for (const form of [
    number,
    '4242 4242',
    '34323432',
    'a value of its own',
    Buffer.from(number).toString('base64').slice(0, 12),
  ])
    expect(stored).not.toContain(form)
})

test('X-58 a stored run contains neither cryptogram nor number of a network token that its code printed', async () => {
  const { runReactor, vault } = await startReactors()
  const { id } = await createNetworkToken(vault)
  const { id: application } = await vault.application({
    permissions: ['network-token:cryptogram', 'network-token:reveal'],
  })
  const code = `module.exports = async ({ args, applicationOptions: { apiKey, baseUrl } }) => {
    const call = async (method, path) =>
      (await fetch(baseUrl + '/network-tokens/' + args.id + path, { method, headers: { 'BT-API-KEY': apiKey } })).json()
    const { cryptogram } = await call('POST', '/cryptogram')
    const { data } = await call('GET', '')
    console.log(cryptogram, data.number)
    return { raw: { cryptogram, number: data.number } }
  }`
  const { body } = await runReactor(code, { id }, { application: { id: application } })
  expect(body.raw).toEqual({
    cryptogram: expect.stringMatching(/==$/),
    number: expect.stringMatching(/^4895/),
  })
  const run = await waitForRun({ vault })
  const stored = await vault.owner.reactorRuns.get({ id: run.id })
  expect(JSON.stringify(stored)).toContain('•••••••• ••••••••')
})

test('X-58 redacting 64 KiB of output does not block other requests', async () => {
  const { runReactor, vault } = await startReactors()
  const ids = await Promise.all(
    Array.from(
      { length: 60 },
      async (_, at) =>
        (await vault.owner.tokens.create({ type: 'token', data: `secret-value-${at}-${number}` })).id,
    ),
  )
  const args = Object.fromEntries(ids.map((id, at) => [`a${at}`, `{{ ${id} }}`]))
  const code = `module.exports = ({ args }) => { for (let at = 0; at < 900; at++) console.log('line', at, args['a' + (at % 60)], '%20'); return {} }`
  const { status } = await runReactor(code, args)
  expect(status).toBe(200)
  const { block } = await measureLongestBlock(() => waitForRun({ vault }))
  expect(block).toBeLessThan(getMaxBlock(block))
})

/** Waits until a run is stored, and returns the newest. */
function waitForRun({
  vault,
}: Pick<Awaited<ReturnType<typeof startReactors>>, 'vault'>): Promise<{ id: string }> {
  return waitFor(async () => {
    const [run] = (await vault.owner.reactorRuns.list({})).data
    expect(run).toBeDefined()
    return run as { id: string }
  })
}

test('X-65 R-03 a result with many names is read and sent in several turns, and one with more is refused', async () => {
  const { storeReactor, url, vault } = await startReactors()
  const { key } = await vault.application({ permissions: ['reactor:invoke'] })
  const storeNames = (count: number) =>
    storeReactor(
      `module.exports = () => ({ raw: Object.fromEntries(Array.from({ length: ${count} }, (_, at) => ['k' + at, at])) })`,
    )
  const invoke = async (id: string) => {
    const headers = { 'SVC-API-KEY': key }
    const response = await fetch(`${url}/reactors/${id}/react`, { method: 'POST', headers })
    return { status: response.status, body: await response.text() }
  }
  const allowed = await storeNames(29_990)
  const tooMany = await storeNames(100_000)
  await expectShortTurns(async () => {
    expect((await invoke(allowed)).status).toBe(200)
    const refused = await invoke(tooMany)
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('must not have more than 30,000 members, lists and objects')
  })
})
