import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { readHeader, writeHeader } from '../../electron/host/files/header.ts'
import { newKeychainEntry } from '../../electron/host/keys/keychain.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { createStoredVault, name, passphrase } from '../host/stored-vault.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { breakReads, startCoffer, startServe } from './run-coffer.ts'

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  vi.stubEnv('COFFER_PASSPHRASE', passphrase)
  return () => vi.unstubAllEnvs()
})

type Finding = { about: string; state: 'ok' | 'warn' | 'fail'; text: string; todo?: string }

/**
 * Creates a locked vault with a backup. Returns functions that run `doctor` and return its output, findings and exit
 * code.
 */
async function createDoctorVault() {
  const { dataDir, vault, recovery_key } = await createStoredVault()
  await backUpOpenVault(vault, { dataDir })
  vault.lock()
  const runDoctor = async (...options: string[]) => {
    const ran = await runCommandLine('doctor', '--data-dir', dataDir, '--vault', name, ...options)
    expect(ran.error).toBeUndefined()
    return ran
  }
  const readFindings = async (...options: string[]) => {
    const { out, code } = await runDoctor('--json', ...options)
    const { findings } = JSON.parse(out) as { findings: Finding[] }
    const findFinding = (what: string) => findings.find((each) => each.about === what)
    return { code, findFinding, states: Object.fromEntries(findings.map((each) => [each.about, each.state])) }
  }
  return { dataDir, recovery_key, runDoctor, readFindings, files: vault.files }
}

test('doctor passes a healthy vault, and with --open checks every page', async () => {
  const { runDoctor, readFindings, recovery_key } = await createDoctorVault()
  const { out, code } = await runDoctor()
  expect(code).toBe(0)
  const lines = out.trim().split('\n')
  expect(lines.length).toBeGreaterThan(7)
  for (const line of lines) expect(line).toMatch(/^ok {4}[a-z ]+ {2}\S.*\.$/)
  const { findFinding, code: opened } = await readFindings('--open')
  expect([opened, findFinding('key')?.state, findFinding('database')?.text]).toEqual([
    0,
    'ok',
    expect.stringContaining('Every page and key is sound'),
  ])
  vi.stubEnv('COFFER_PASSPHRASE', recovery_key)
  expect((await readFindings('--open')).code).toBe(0)
})

test('doctor fails for a missing vault, and names the command that creates it', async () => {
  const { runDoctor } = await createDoctorVault()
  const { out, code } = await runDoctor('--vault', 'none')
  expect(code).toBe(1)
  expect(out).toMatch(/^fail {2}vault .*There is no vault none.*init --vault none /)
})

test('X-26 doctor --open fails for a damaged file with advice, and changes nothing', async () => {
  const { dataDir, readFindings, runDoctor, files } = await createDoctorVault()
  const good = fs.readFileSync(files.database)
  const flipped = Buffer.from(good)
  const at = good.length >> 1
  flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
  fs.writeFileSync(files.database, flipped)
  // Only opening the vault reveals the changed bit.
  expect((await readFindings()).code).toBe(0)
  const opened = await readFindings('--open')
  expect([opened.code, opened.findFinding('database')]).toEqual([
    1,
    expect.objectContaining({ state: 'fail', text: expect.stringMatching(/damaged.*backup/) }),
  ])
  expect(fs.readFileSync(files.database).equals(flipped)).toBe(true)
  fs.writeFileSync(files.database, good.subarray(0, -1))
  const { out, code } = await runDoctor()
  expect(code).toBe(1)
  expect(out).toMatch(/^fail {2}file .*cut off.*coffer -- restore <file> --vault <name> --data-dir /m)
  const coffer = startCoffer(['doctor', '--data-dir', dataDir, '--vault', name])
  expect(await coffer.ended).toBe(1)
  expect(coffer.lines).toHaveLength(out.trim().split('\n').length)
})

test('doctor fails for a wrong passphrase, and does not print it', async () => {
  const { readFindings } = await createDoctorVault()
  vi.stubEnv('COFFER_PASSPHRASE', 'a wrong one')
  const { code, findFinding } = await readFindings('--open')
  expect([code, findFinding('key')?.state]).toEqual([1, 'fail'])
  expect(findFinding('key')?.text).toMatch(/passphrase/)
  expect(findFinding('key')?.text).not.toContain('a wrong one')
  expect(findFinding('database')).toBeUndefined()
})

test('serve --verbose prints internal errors, and the doctor counts them', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const file = path.join(dataDir, 'incidents.log')
  const serve = startServe(dataDir, { ...breakReads(), COFFER_PASSPHRASE: passphrase }, '--verbose')
  const { url, keys } = await serve.json()
  const runDoctor = async (...options: string[]) => {
    const { out, code } = await runCommandLine('doctor', '--data-dir', dataDir, ...options)
    return { out, code }
  }
  const before = await runDoctor('--json')
  expect(JSON.parse(before.out).incidents).toEqual({ count: 0, since: null, last: null, file })
  for (const id of ['break-1', 'break-2']) {
    const response = await fetch(`${url}/tokens/${id}`, { headers: { 'SVC-API-KEY': keys.private } })
    expect(response.status).toBe(500)
    const trace = response.headers.get('SVC-TRACE-ID') ?? ''
    await serve.waitForLine(new RegExp(`^internal error: TypeError in tokens.get, trace ${trace}, `))
    await serve.waitForLine(/^ {4}at .*electron|out/)
    expect(fs.readFileSync(file, 'utf8')).toContain(trace)
  }
  const { out, code } = await runDoctor()
  expect(code).toBe(0)
  const pattern = new RegExp(
    `^warn {2}incidents .*2 internal errors since .*, the last at .*: ${file}\\. Attach`,
    'm',
  )
  expect(out).toMatch(pattern)
  const { incidents } = JSON.parse((await runDoctor('--json')).out)
  expect(incidents).toEqual({ count: 2, since: expect.any(String), last: expect.any(String), file })
})

const unix = test.runIf(process.platform !== 'win32')

unix('doctor warns about a folder that other users can read, and names the fix', async () => {
  const { readFindings, files } = await createDoctorVault()
  fs.chmodSync(files.folder, 0o755)
  const { code, findFinding } = await readFindings()
  // A readable folder alone does not endanger the vault, so the exit code is 0.
  expect([code, findFinding('permissions')]).toEqual([
    0,
    {
      about: 'permissions',
      state: 'warn',
      text: `Other users can read ${files.folder}.`,
      todo: `Remove their access: chmod go-rwx ${files.folder}`,
    },
  ])
  fs.chmodSync(files.folder, 0o700)
  expect((await readFindings()).states.permissions).toBe('ok')
})

test('X-32 doctor fails without the keychain, and suggests the recovery key', async () => {
  const { readFindings, files, recovery_key } = await createDoctorVault()
  const { passphrase: _, ...rest } = readHeader(files.header)
  writeHeader(files.header, { ...rest, protection: 'keychain', keychain: newKeychainEntry() })
  const { code, findFinding } = await readFindings()
  expect([code, findFinding('key')]).toEqual([
    1,
    expect.objectContaining({ state: 'fail', text: expect.stringMatching(/keychain.*recovery key/) }),
  ])
  expect(findFinding('database')).toBeUndefined()
  vi.stubEnv('COFFER_PASSPHRASE', recovery_key)
  const opened = await readFindings('--open')
  expect([opened.code, opened.states.key, opened.states.database]).toEqual([0, 'ok', 'ok'])
})
