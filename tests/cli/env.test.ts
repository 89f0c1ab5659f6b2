import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runCommandLine, serveInProcess } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

unix('env prints the keys of a running in-memory vault, selected by --port', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const run = startServe(dataDir, {}, '--ephemeral')
  const { url, keys } = await run.json()
  const { out, code } = await runCommandLine('env', '--data-dir', dataDir)
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      '# Coffer, in-memory vault',
      `COFFER_BASE_URL=${url}`,
      `COFFER_API_KEY=${keys.private}`,
      `COFFER_PUBLIC_KEY=${keys.public}`,
      `COFFER_MANAGEMENT_KEY=${keys.management}`,
    ]),
  )
  // No key is on disk. Coffer creates only a socket, in a folder that only its owner may open.
  const folder = path.join(dataDir, '.control')
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  expect(fs.readdirSync(folder, { withFileTypes: true }).map((each) => each.isSocket())).toEqual([true])
  // --port chooses one of several in-memory vaults; a killed one is ignored.
  const second = startServe(dataDir, {}, '--ephemeral')
  const other = await second.json()
  const unclear = await runCommandLine('env', '--data-dir', dataDir)
  expect([unclear.code, unclear.error]).toEqual([1, expect.stringMatching(/Several .*--port/)])
  const chosen = await runCommandLine('env', '--data-dir', dataDir, '--port', new URL(other.url).port)
  expect(chosen.out).toContain(`COFFER_API_KEY=${other.keys.private}\n`)
  second.signal('SIGKILL')
  await second.ended
  const left = await runCommandLine('env', '--ephemeral', '--data-dir', dataDir)
  expect(left.out).toContain(`COFFER_API_KEY=${keys.private}\n`)
  expect(fs.readdirSync(folder)).toHaveLength(1)

  run.stop()
  expect(await run.ended).toBe(0)
  expect(fs.existsSync(dataDir)).toBe(false)
  const after = await runCommandLine('env', '--data-dir', dataDir)
  expect(after.out).toContain('COFFER_API_KEY=\n')
  expect(after.out).not.toContain(keys.private)
  const must = await runCommandLine('env', '--ephemeral', '--data-dir', dataDir)
  expect([must.code, must.error]).toEqual([1, expect.stringContaining('No in-memory vault is running with')])
})

unix('serve opens no socket in a folder open to others, and still serves', async () => {
  const dataDir = createTempFolder()
  fs.mkdirSync(path.join(dataDir, '.control'), { mode: 0o755 })
  const { facts } = await serveInProcess(['--ephemeral', '--json', '--data-dir', dataDir])
  expect((await fetch(`${facts.url}/_coffer/ready`)).status).toBe(200)
  expect(fs.readdirSync(path.join(dataDir, '.control'))).toEqual([])
  const { out, notes } = await runCommandLine('env', '--data-dir', dataDir)
  expect(out).toContain('COFFER_API_KEY=\n')
  expect(notes).toContain('Other users can open the folder')
  const status = await runCommandLine('status', '--data-dir', dataDir, '--json')
  expect(JSON.parse(status.out)).toMatchObject({ in_memory: [] })
  expect(status.notes).toContain('Other users can open the folder')
})

test('env rejects an unknown vault, and reports a missing default one', async () => {
  const place = ['--data-dir', path.join(createTempFolder(), 'data')]
  const named = await runCommandLine('env', '--vault', 'nope', ...place)
  expect([named.code, named.out]).toEqual([1, ''])
  expect(named.error).toMatch(/nope.* Create it with: /)
  const unnamed = await runCommandLine('env', ...place)
  expect(unnamed.code).toBe(0)
  expect(unnamed.out).toContain('# It does not exist yet. Create it with: ')
})

unix('env prefers a named vault to a running in-memory one', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const place = ['--data-dir', dataDir]
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect((await runCommandLine('init', '--vault', 'work', ...place)).code).toBe(0)
  const { url, keys } = await startServe(dataDir, {}, '--ephemeral').json()
  const named = await runCommandLine('env', '--vault', 'work', ...place)
  expect(named.out).toContain('# Coffer, vault work\n')
  expect(named.out).not.toContain(keys.private)
  const json = await runCommandLine('env', '--json', ...place)
  expect(JSON.parse(json.out)).toEqual({
    COFFER_BASE_URL: url,
    COFFER_API_KEY: keys.private,
    COFFER_PUBLIC_KEY: keys.public,
    COFFER_MANAGEMENT_KEY: keys.management,
    COFFER_ELEMENTS: `${url}/elements.js`,
  })
})

unix('env prefers the in-memory vault on --port to an open one on disk', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const place = ['--data-dir', dataDir]
  const passphrase = { COFFER_PASSPHRASE: 'correct horse battery staple' }
  const open = await startServe(dataDir, passphrase).json()
  const { url, keys } = await startServe(dataDir, {}, '--ephemeral').json()
  const readVariables = async (...args: string[]) => {
    const { out } = await runCommandLine('env', '--json', ...place, ...args)
    return JSON.parse(out)
  }
  expect(await readVariables()).toMatchObject({ COFFER_BASE_URL: open.url, COFFER_API_KEY: '' })
  expect(await readVariables('--port', new URL(url).port)).toMatchObject({
    COFFER_BASE_URL: url,
    COFFER_API_KEY: keys.private,
  })
  expect(await readVariables('--port', new URL(open.url).port)).toMatchObject({ COFFER_BASE_URL: open.url })
})

unix('H-05 env prints the names that programs in Next.js, Vite, Terraform and Python read', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const { url, keys } = await startServe(dataDir, {}, '--ephemeral').json()
  const readVariables = async (...words: string[]) =>
    JSON.parse((await runCommandLine('env', '--json', '--data-dir', dataDir, ...words)).out)
  expect(await readVariables('--terraform')).toEqual({
    BASISTHEORY_API_KEY: keys.management,
    BASISTHEORY_API_URL: url,
  })
  expect(await readVariables('--vite')).toMatchObject({ VITE_BASIS_THEORY_PUBLIC_KEY: keys.public })
  expect(await readVariables('--python')).toMatchObject({ BASIS_THEORY_API_KEY: keys.private })
  const next = (await runCommandLine('env', '--next', '--data-dir', dataDir)).out
  expect(next).toMatch(/^# Coffer, in-memory vault, for \.env\.local of Next\.js\n/)
  expect(next).toContain(`\nNEXT_PUBLIC_BASIS_THEORY_PUBLIC_KEY=${keys.public}\n`)
  expect(next).toContain(`\n#   <script src="${url}/elements.js"></script>\n`)
  // What Next.js compiles into pages holds no key but the public one.
  expect(next).not.toMatch(/NEXT_PUBLIC_\w+=key_\w*_(pvt|mgt)_/)
  const both = await runCommandLine('env', '--next', '--vite', '--data-dir', dataDir)
  expect(both.code).toBe(2)
})

test('H-05 env for a vault on disk says how to create the keys', async () => {
  const { out } = await runCommandLine('env', '--next', '--data-dir', path.join(createTempFolder(), 'data'))
  expect(out).toContain('BASIS_THEORY_PRIVATE_KEY=\n')
  expect(out).toMatch(
    /\n# A key is shown only once, when it is created:\n# {3}.*keys create --type public .*\n/,
  )
})

unix('H-05 env --as-hosted lets the programs of a shell find a running Coffer', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const place = ['--data-dir', dataDir]
  const without = await runCommandLine('env', '--as-hosted', ...place)
  expect([without.code, without.error]).toEqual([1, expect.stringContaining('serve --as-hosted')])
  const { keys } = await startServe(dataDir, {}, '--ephemeral', '--as-hosted').json()
  const { out } = await runCommandLine('env', '--as-hosted', ...place)
  const program = `fetch('https://api.basistheory.com/tokens', { headers: { 'BT-API-KEY': '${keys.private}' } })
    .then((response) => console.log(response.status))`
  const script = `${out}\n"${process.execPath}" -e "${program.replaceAll('\n', ' ')}"`
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  expect(stdout).toBe('200\n')
  expect(out).not.toContain('key_local')
})
