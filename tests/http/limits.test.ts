import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test('R-02 an error about a limit of the tenant names its setting and where to change it', async () => {
  const { vault, request } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  const getDetail = async (method: string, path: string, body?: string[]) =>
    (await request(method, path, { key, ...(body && { body }) })).body.detail
  const where = 'in the window under Settings, with PUT /tenants/self, or in a seed.'
  const six = Array.from({ length: 6 }, (_, at) => `x${at}`)
  expect(await getDetail('POST', '/tokenize', six)).toBe(
    `body requests 6 tokens; the tenant allows 5 in one request. To change that, set tokens_per_tokenize ${where}`,
  )
  const expressions = six.map((each) => `{{ ${each}yz }}`)
  expect(await getDetail('POST', '/detokenize', expressions)).toBe(
    `body contains more than 5 expressions; the tenant allows 5 in one request. To change that, set expressions_per_detokenize ${where}`,
  )
  const settings = { deprecated_operations: 'gone', disable_ephemeral_proxy: 'true' }
  await vault.owner.tenants.update({ name: 'Test', settings })
  expect(await getDetail('GET', '/tokens')).toContain(`set deprecated_operations ${where}`)
})
