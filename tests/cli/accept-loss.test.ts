import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../vault.ts'
import { startCoffer } from './run-coffer.ts'

const env = { COFFER_PASSPHRASE: 'correct horse battery staple' }

test('X-41 a refusal names the command that goes on, which takes exactly that number and says where the copy is', async () => {
  const dataDir = path.join(tempFolder(), 'data')
  const place = ['--data-dir', dataDir]
  expect(await startCoffer(['init', ...place], env).ended).toBe(0)
  fs.rmSync(path.join(dataDir, 'default', 'vault.db-commits'))
  const refused = async (...words: string[]) => {
    const run = startCoffer([...words, ...place], env)
    const line = await run.line(/vault\.db was not opened/)
    expect(await run.ended).toBe(1)
    return line
  }
  const advice = /To open it all the same, run: .* serve --accept-loss 0 --data-dir /
  for (const words of [
    ['keys', 'list'],
    ['serve', '--port', '0'],
    ['serve', '--port', '0', '--accept-loss', '1'],
  ]) {
    expect(await refused(...words)).toMatch(advice)
  }
  const doctor = startCoffer(['doctor', '--open', ...place], env)
  expect(await doctor.line(/^fail {2}commits/)).toMatch(advice)
  expect(await doctor.ended).toBe(1)

  const server = startCoffer(['serve', '--port', '0', '--json', '--accept-loss', '0', ...place], env)
  const said = await server.line(/A copy of everything is in /)
  expect(said).toMatch(/^The vault was opened as it was\./)
  expect(fs.readdirSync(/ is in (.*)\.$/.exec(said)?.[1] ?? '')).toContain('vault.db')
  await server.json()
  server.stop()
  expect(await server.ended).toBe(0)
})
