import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { buildBody } from '../../electron/cli/terminal/request-fields.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'

/** Starts a server, and returns a function that runs `coffer api` beside it, and its base URL and keys. */
async function startApi(...more: string[]) {
  const dataDir = createTempFolder()
  const coffer = startServe(dataDir, { COFFER_PASSPHRASE: passphrase }, ...more)
  const { url, keys } = await coffer.json()
  const callApi = (...args: string[]) => runWithEnv({ COFFER_DATA_DIR: dataDir }, 'api', ...args)
  return { callApi, url, keys, dataDir, coffer }
}

const unix = test.runIf(process.platform !== 'win32')

unix('coffer api needs no address and no key for an in-memory vault', async () => {
  const { callApi } = await startApi('--ephemeral')
  const created = await callApi('/tokens', '-f', 'type=card_number', '-f', 'data=4242424242424242')
  expect(JSON.parse(created.out)).toMatchObject({ type: 'card_number', data: 'XXXXXXXXXXXX4242' })
  expect(created).toMatchObject({ code: 0, notes: '' })
  const { id } = JSON.parse(created.out)
  const changed = await callApi(
    'patch',
    `tokens/${id}`,
    '-f',
    'metadata[order]=17',
    '--jq',
    '.metadata.order',
  )
  expect(changed).toMatchObject({ code: 0, out: '17\n' })
  // Each of these needs another kind of key.
  expect(JSON.parse((await callApi('POST', '/sessions')).out)).toMatchObject({ nonce: expect.any(String) })
  expect((await callApi('/_coffer/clock')).code).toBe(0)
  expect((await callApi('/api/tenants/self', '--jq', '.name')).code).toBe(0)
  expect((await callApi('DELETE', `/tokens/${id}`, '-i')).out).toMatch(
    /^HTTP\/1\.1 204 No Content\n[\s\S]*\n\n$/,
  )
})

unix('coffer api borrows the rights of an application of a vault on disk', async () => {
  const { callApi, keys, url, dataDir, coffer } = await startApi()
  expect((await callApi('GET', '/v2/tokens', '--as', 'Browser')).error).toMatch(/\(status 403\)$/)
  expect((await callApi('GET', '/v2/tokens', '--as', 'Backend')).code).toBe(0)
  expect((await callApi('GET', '/v2/tokens', '--as', 'Bakend')).error).toBe(
    'No application has this name or id. Did you mean Backend?',
  )
  const log = await callApi('GET', '/logs', '-f', 'size=1', '--jq', '.data[0].note')
  expect(log.out).toContain('by the command line')
  // Its code runs after the command has ended, when a borrowed key is no longer valid.
  const lasting = await callApi('POST', '/reactors/x/react-async')
  expect(lasting).toMatchObject({
    code: 2,
    error: expect.stringMatching(/goes on after the request.*--key or COFFER_API_KEY/),
  })
  // A key of the options or of the environment takes precedence over that.
  const withPublicKey = await callApi('/v2/tokens', '--key', keys.public)
  expect(withPublicKey).toMatchObject({ code: 1, error: expect.stringMatching(/\(status 403\)$/) })
  expect(JSON.parse(withPublicKey.out)).toMatchObject({ status: 403 })
  const env = { COFFER_DATA_DIR: createTempFolder(), COFFER_BASE_URL: url, COFFER_API_KEY: keys.private }
  expect((await runWithEnv(env, 'api', '/v2/tokens')).code).toBe(0)
  expect((await runWithEnv(env, 'api', '/_coffer/webhooks')).error).toMatch(/^Pass a management key for http/)
  coffer.stop()
  await coffer.ended
  const closed = await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'api', '/v2/tokens')
  expect(closed.error).toMatch(/^The vault default is not open in coffer serve or .* Open it with: .*serve$/)
})

unix('coffer api follows the pages of a list', async () => {
  const { callApi } = await startApi('--ephemeral')
  for (const data of ['a', 'b', 'c']) await callApi('/tokens', '-f', 'type=token', '-f', `data=${data}`)
  for (const list of ['/v2/tokens', '/tokens']) {
    const { out } = await callApi('GET', list, '-f', 'size=2', '--paginate', '--jq', '.data[].data')
    expect(out).toBe('c\nb\na\n')
  }
})

unix('coffer api takes bodies from fields and files', async () => {
  const { callApi } = await startApi('--ephemeral')
  const file = path.join(createTempFolder(), 'token.json')
  fs.writeFileSync(file, '{"type":"token","data":1,"metadata":{"of":"a file"}}')
  expect((await callApi('/tokens', '--input', file, '--jq', '.metadata.of')).out).toBe('a file\n')
  const typed = ['-F', 'metadata={"of":"a field"}', '-F', `metadata[file]=@${file}`]
  const fields = ['-f', 'type=token', '-F', 'data=19.90', ...typed]
  const { out } = await callApi('/tokens', ...fields, '--jq', '.metadata.of, (.metadata.file | length)')
  expect(out).toBe('a field\n52\n')
  expect((await callApi('/v2/tokens/search', '-d', '{"query":"type:token"}')).code).toBe(0)
  const printed = await callApi('/tokens', ...fields, '-H', 'SVC-TRACE-ID: mine', '--json')
  expect(JSON.parse(printed.out)).toMatchObject({
    status: 201,
    headers: { 'svc-trace-id': 'mine' },
    body: {},
  })
})

test('fields become members, members of members and lists, and keep their numbers', () => {
  const typed = ['card[month]=07', 'n=19.90', 'rules[]={"priority":1}', '__proto__=null', 'yes=true']
  const body = buildBody({
    field: ['card[number]=4242', 'containers[]=/a/', 'containers[]=/b/', 'e='],
    typed,
  })
  expect(JSON.stringify(body)).toBe(
    '{"card":{"number":"4242","month":"07"},"containers":["/a/","/b/"],"e":"","n":19.90,"rules":[{"priority":1}],"__proto__":null,"yes":true}',
  )
})

unix('a failed request prints its body and its sentence, and exits with 1', async () => {
  const { callApi } = await startApi('--ephemeral')
  expect(await callApi('/tokens/nope', '--jq', '.id')).toMatchObject({
    code: 1,
    error: 'There is no such token. (status 404)',
    out: expect.stringMatching(/^\{"title":"Not Found"/),
  })
  expect((await callApi('/tokns')).error).toBe('This path does not exist. Did you mean /tokens? (status 404)')
  const failed = await callApi('/tokens/nope', '--json')
  expect([failed.code, JSON.parse(failed.out).status]).toEqual([1, 404])
  expect((await callApi('/v2/tokens', '--jq', '.data.x')).error).toMatch(/^The filter of --jq does not fit/)
})

test.each([
  [['GTE', '/tokens'], /^The method is one of: GET, HEAD, POST/],
  [['GET'], /^Name a path/],
  [['https://vault.example/tokens'], /^Name a path.* --url names the server/],
  [['GET', '/a', '/b'], /^Too many arguments/],
  [['/a', '-f', 'a'], /is invalid\. It must be NAME=VALUE/],
  [['/a', '-H', 'a'], /is invalid\. It must be 'NAME: VALUE'/],
  [['/a', '-f', 'a[=1', '--key', 'k'], /^The name of a field is like/],
  [['/a', '-f', 'a=1', '-f', 'a[b]=1'], /^The fields of a contradict each other/],
  [['/a', '-f', 'a=1', '--input', 'b'], /^The body comes either from fields, from/],
  [['/a', '--input', 'no-such-file'], /^There is no file no-such-file/],
  [['POST', '/a', '--paginate'], /^--paginate follows the pages of a GET/],
  [['/a', '--jq', '.data[ | .x'], /^The filter of --jq is not valid: syntax error/],
  [['/a', '--url', 'x'], /^--url must be a base URL/],
  [['/a', '--url', 'http://127.0.0.1:9'], /^Pass a private key for http:.*COFFER_API_KEY/],
])('coffer api %j is a usage error', async (args, sentence) => {
  const { code, error } = await runWithEnv({ COFFER_DATA_DIR: createTempFolder() }, 'api', ...args)
  expect(error).toMatch(sentence)
  expect(code).toBe(2)
})

test('completion of coffer api offers methods and paths', async () => {
  const { out } = await runWithEnv({}, 'completion', 'bash')
  const [line = ''] = /^ *'api'\).*$/m.exec(out) ?? []
  for (const word of ['PATCH', '/tokens', '/tokens/', '/_coffer/clock', '--paginate'])
    expect(line).toContain(`'${word}'`)
  expect(line).not.toContain('{')
})
