import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'

const module = pathToFileURL(path.resolve('scripts/fetch-electron.mjs')).href

/** What fetching gives with an installer of this text. */
function fetched(installer: string, options: object = {}) {
  const script = path.join(createTempFolder(), 'install.js')
  fs.writeFileSync(script, installer)
  const given = JSON.stringify({ script, from: 'http://127.0.0.1:4889', ...options })
  const code = `const { fetchElectron } = await import('${module}'); console.log(await fetchElectron(${given}))`
  const { PATH, HOME } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: { PATH, HOME },
  })
  expect(stderr).toMatch(/^Fetching Electron .* at most \d+ seconds/)
  return stdout.trim()
}

test('Electron that cannot be reached is given up soon, and the reason is said', () => {
  expect(fetched('setInterval(() => {}, 1000)', { offline_limit_s: 1 })).toBe(
    'Electron could not be fetched: 127.0.0.1:4889 cannot be reached (ECONNREFUSED).',
  )
})

test('Electron from the cache is taken offline; what its installer says is passed on', () => {
  expect(fetched('')).toBe('null')
  expect(fetched("console.error('The checksum differs'); process.exit(1)", { from: 'data:,' })).toBe(
    'Electron could not be fetched: The checksum differs.',
  )
})
