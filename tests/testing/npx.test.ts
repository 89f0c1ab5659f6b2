import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runProgram } from './run-program.ts'

/** Starts a registry that has a foreign package called coffer, and stores the requests it gets. */
async function startRegistry() {
  const requested: string[] = []
  const server = http.createServer((request, response) => {
    requested.push(request.url ?? '')
    const { port } = server.address() as AddressInfo
    const dist = { tarball: `http://127.0.0.1:${port}/coffer/-/coffer-9.0.0.tgz`, shasum: '0'.repeat(40) }
    const version = { name: 'coffer', version: '9.0.0', bin: { coffer: 'theirs.js' }, dist }
    response.statusCode = request.url === '/coffer' ? 200 : 404
    response.end(
      JSON.stringify({ name: 'coffer', 'dist-tags': { latest: '9.0.0' }, versions: { '9.0.0': version } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requested }
}

// On Windows, npx is a batch file, which is started differently.
test.skipIf(process.platform === 'win32')(
  'npx --no-install coffer never downloads another program',
  async () => {
    const { url, requested } = await startRegistry()
    const cwd = createTempFolder()
    fs.writeFileSync(path.join(cwd, 'package.json'), '{ "private": true }')
    const env = {
      HOME: createTempFolder(),
      npm_config_registry: url,
      npm_config_cache: createTempFolder(),
      // Otherwise the loglevel of `npm test` would apply, which is silent.
      npm_config_loglevel: 'error',
    }
    const runNpx = (...args: string[]) => runProgram('npx', args, { cwd, env })
    const isFetched = () => requested.includes('/coffer/-/coffer-9.0.0.tgz')

    const rejected = await runNpx('--no-install', 'coffer', 'run', '--seed', 'a.yaml', '--', 'true')
    expect([rejected.code, rejected.text]).toEqual([
      expect.any(Number),
      expect.stringMatching(/^npm error /m),
    ])
    expect([rejected.code === 0, isFetched()]).toEqual([false, false])
    // This shows that npx does download the package with --yes, as it also does without a terminal.
    await runNpx('--yes', 'coffer', 'run')
    expect(isFetched()).toBe(true)

    const bin = path.join(cwd, 'node_modules', '.bin')
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(path.join(bin, 'coffer'), '#!/bin/sh\necho "ours: $*"\n', { mode: 0o755 })
    for (const words of [['--version'], ['run', '--seed', 'a.yaml', '--', 'npm', 'test']]) {
      const ran = await runNpx('--no-install', 'coffer', ...words)
      expect([ran.code, ran.text]).toEqual([0, expect.stringContaining(`ours: ${words.join(' ')}`)])
    }
  },
)
