import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startCoffer, startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'
const unix = test.runIf(process.platform !== 'win32')

unix('coffer logs prints the log of an open and of a closed vault, filtered', async () => {
  const dataDir = createTempFolder()
  const env = { COFFER_DATA_DIR: dataDir, COFFER_PASSPHRASE: passphrase }
  const coffer = startServe(dataDir, { COFFER_PASSPHRASE: passphrase })
  await coffer.json()
  const runCoffer = (...args: string[]) => runWithEnv(env, ...args)
  await runCoffer('api', '/tokens/nope')
  await runCoffer('api', '/v2/tokens')
  const { out } = await runCoffer('logs', '--app', 'Backend')
  expect(out.trim().split('\n')).toEqual([
    expect.stringMatching(/404 .*Backend {2}tokens\.get +GET \/tokens\/nope {2}There is no such token\.$/),
    expect.stringMatching(/200 .*Backend {2}tokens\.list +GET \/v2\/tokens$/),
  ])
  coffer.stop()
  await coffer.ended
  const records = (await runCoffer('logs', '--status', '4xx', '--since', '1h', '--limit', '5', '--json')).out
  expect(
    records
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).action),
  ).toEqual(['tokens.get'])
  expect((await runCoffer('logs', '--action', 'tokens.list', '--json')).out).toMatch(
    /^\{.*"path":"\/v2\/tokens".*\}\n$/,
  )
  expect((await runCoffer('logs', '--app', 'Backnd')).error).toMatch(/Did you mean Backend\?$/)
  expect((await runCoffer('logs', '--follow')).error).toMatch(/not open in .* Open it with: /)
  for (const words of [
    ['--status', '700'],
    ['--limit', '0'],
    ['--since', 'today'],
  ])
    expect((await runCoffer('logs', ...words)).code).toBe(2)
})

unix('coffer logs --follow prints each new record until it is stopped', async () => {
  const dataDir = createTempFolder()
  await startServe(dataDir, {}, '--ephemeral').json()
  const following = startCoffer(['logs', '--follow', '--json', '--data-dir', dataDir])
  await following.waitForLine(/"action":"applications\.create"/)
  for (const id of ['one', 'two']) await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'api', `/tokens/${id}`)
  await following.waitForLine(/"path":"\/tokens\/one"/)
  await following.waitForLine(/"path":"\/tokens\/two"/)
  following.signal('SIGINT')
  expect(await following.ended).toBe(0)
})
