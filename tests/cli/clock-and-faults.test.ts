import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

/** Starts an in-memory vault, and returns a function that runs a command for it. */
async function startRunner() {
  const dataDir = createTempFolder()
  const { url } = await startServe(dataDir, {}, '--ephemeral').json()
  return (...args: string[]) => runWithEnv({ COFFER_DATA_DIR: dataDir, COFFER_BASE_URL: url }, ...args)
}

const unix = test.runIf(process.platform !== 'win32')

unix('coffer clock shows, advances and sets the clock of an in-memory vault', async () => {
  const runCoffer = await startRunner()
  expect((await runCoffer('clock', 'set', '2031-01-01T00:00:00Z')).out).toMatch(/is now 2031-01-01T00:00:0/)
  expect((await runCoffer('clock', 'advance', '1h30m')).code).toBe(0)
  expect(JSON.parse((await runCoffer('clock', 'show', '--json')).out).now).toMatch(/^2031-01-01T01:3/)
  const refused = await runCoffer('clock', 'set', 'tomorrow')
  expect(refused).toMatchObject({ code: 1, error: expect.stringMatching(/: now must be an ISO 8601/) })
  for (const words of [
    ['advance', '1x'],
    ['advance', '1'],
  ])
    expect(await runCoffer('clock', ...words)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/such as 90s/),
    })
})

unix('coffer faults sets, lists and removes faults', async () => {
  const runCoffer = await startRunner()
  const busy = [
    'busy',
    '--operation',
    'tokens.create',
    '--status',
    '503',
    '--retry-after',
    '2',
    '--count',
    '2',
  ]
  expect((await runCoffer('faults', 'set', ...busy)).out).toBe(
    'busy  0 of 2  tokens.create  respond with 503\n',
  )
  expect((await runCoffer('api', '/tokens', '-f', 'type=token', '-f', 'data=1')).error).toMatch(
    /\(status 503\)/,
  )
  await runCoffer('faults', 'set', 'lost', '--delay', '2s', '--cut', '--after', '--share', '0.1')
  expect(JSON.parse((await runCoffer('faults', 'list', '--json')).out).rules).toMatchObject([
    { name: 'busy', hits: 1, retry_after: 2 },
    { name: 'lost', delay_ms: 2000, cut: true, when: 'after', share: 0.1 },
  ])
  expect((await runCoffer('faults', 'clear', 'bussy')).error).toMatch(/no fault .* Set: busy, lost\.$/)
  expect((await runCoffer('faults', 'clear', 'busy')).out).toMatch(/^lost /)
  const file = path.join(createTempFolder(), 'faults.yaml')
  fs.writeFileSync(file, '- { name: slow, delay_ms: 5 }')
  expect((await runCoffer('faults', 'set', '--file', file)).out).toMatch(/^slow .*wait 5 ms\n$/)
  expect((await runCoffer('faults', 'clear')).out).toBe('No faults are set.\n')
  expect(await runCoffer('faults', 'set')).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^Name a fault/),
  })
  expect((await runCoffer('faults', 'set', 'bad')).error).toMatch(/needs delay_ms, status or cut/)
})
