import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'

const module = pathToFileURL(path.resolve('scripts/fetch-electron.mjs')).href

/** Fetches Electron with an install script that has this source. */
function runFetchElectron(installer: string, options: object = {}) {
  const script = path.join(createTempFolder(), 'install.js')
  fs.writeFileSync(script, installer)
  const json = JSON.stringify({ script, from: 'http://127.0.0.1:4889', ...options })
  const code = `const { fetchElectron } = await import('${module}'); console.log(await fetchElectron(${json}))`
  const { PATH, HOME } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: { PATH, HOME },
  })
  expect(stderr).toMatch(/^Fetching Electron .* at most \d+ seconds/)
  return stdout.trim()
}

test('fetching Electron offline fails quickly and reports the reason', () => {
  expect(runFetchElectron('setInterval(() => {}, 1000)', { offline_limit_s: 1 })).toBe(
    'Electron could not be fetched: 127.0.0.1:4889 cannot be reached (ECONNREFUSED).',
  )
})

test('Electron is installed offline from the cache, and installer errors are reported', () => {
  expect(runFetchElectron('')).toBe('null')
  expect(runFetchElectron("console.error('The checksum differs'); process.exit(1)", { from: 'data:,' })).toBe(
    'Electron could not be fetched: The checksum differs.',
  )
})
