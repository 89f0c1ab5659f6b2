import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createStarterApplication } from '../../electron/host/initial-data/starter-applications.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  vi.stubEnv('COFFER_PASSPHRASE', passphrase)
  return () => vi.unstubAllEnvs()
})

async function createVault() {
  const dataDir = createTempFolder()
  expect(await runCommandLine('init', '--data-dir', dataDir, '--json')).not.toHaveProperty('error')
  return { dataDir, file: getVaultFiles(dataDir, 'default').database }
}

/** Returns the error of `serve` on this vault, after checking that another command fails with the same one. */
async function readRefusal(dataDir: string): Promise<string> {
  const place = ['--data-dir', dataDir]
  const { error } = await runCommandLine('serve', '--port', '0', ...place)
  expect((await runCommandLine('keys', 'list', ...place)).error).toBe(error)
  return error ?? ''
}

test('X-34 a wrong passphrase is refused with advice', async () => {
  const { dataDir, file } = await createVault()
  const before = fs.readFileSync(file)
  vi.stubEnv('COFFER_PASSPHRASE', 'a wrong one')
  const { error } = await runCommandLine('serve', '--port', '0', '--data-dir', dataDir)
  expect(error).toMatch(/passphrase/)
  expect(error).not.toContain('a wrong one')
  expect(fs.readFileSync(file).equals(before)).toBe(true)
  vi.stubEnv('COFFER_PASSPHRASE', passphrase)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
})

test('X-26 X-28 damaged and unencrypted files are refused and not changed', async () => {
  const { dataDir, file } = await createVault()
  const whole = fs.readFileSync(file)
  const damaged = Buffer.from(whole)
  damaged.fill(0, 4096, 4200)
  fs.writeFileSync(file, damaged)
  expect(await readRefusal(dataDir)).toMatch(/is damaged.*Restore a backup/)
  expect(fs.readFileSync(file).equals(damaged)).toBe(true)

  fs.rmSync(file)
  const plain = new Database(file)
  plain.exec('CREATE TABLE tokens (id TEXT)')
  plain.close()
  const bytes = fs.readFileSync(file)
  expect(await readRefusal(dataDir)).toMatch(/is an unencrypted SQLite file.*Move it away/)
  expect(fs.readFileSync(file).equals(bytes)).toBe(true)

  fs.writeFileSync(file, whole)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
})

test('X-26 an unusable data folder is refused with advice', async () => {
  const file = path.join(createTempFolder(), 'file')
  fs.writeFileSync(file, 'mine')
  for (const dataDir of [file, path.join(file, 'below')]) {
    for (const command of [['serve', '--port', '0'], ['init']]) {
      const { error } = await runCommandLine(...command, '--data-dir', dataDir)
      expect(error).toMatch(/folder.*Choose another path/)
    }
  }
  expect((await runCommandLine('status', '--data-dir', file)).error).toMatch(/folder.*Choose another path/)
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  const link = path.join(createTempFolder(), 'link')
  fs.symlinkSync(path.join(file, 'nowhere'), link)
  expect((await runCommandLine('init', '--data-dir', link)).error).toMatch(/not a folder.*Choose another/)
})

test('X-12 serve refuses a port in use before it creates a vault', async () => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const dataDir = createTempFolder()
  const { error } = await runCommandLine('serve', '--port', String(port), '--data-dir', dataDir)
  expect(error).toMatch(/taken.*--port 0/)
  expect(fs.readdirSync(dataDir)).toEqual([])
})

test('invalid names, hosts and origins are rejected without repeating them', async () => {
  const { dataDir } = await createVault()
  for (const name of ['', 'n'.repeat(201), 'a\u001b[31mb', 'a\nb']) {
    const command = ['keys', 'create', '--type', 'private', '--name', name, '--data-dir', dataDir]
    expect((await runCommandLine(...command)).error).toMatch(/It must have 1 to 200 characters/)
  }
  for (const host of ['', 'a b', 'http://x', '*', 'x:99999', 'x:0']) {
    const command = ['serve', '--port', '0', '--allow-host', host, '--data-dir', dataDir]
    expect((await runCommandLine(...command)).error).toMatch(/^A host is a name/)
  }
})

test('control characters in an application’s name do not reach the terminal', async () => {
  const { dataDir } = await createVault()
  const vault = await openVault({ dataDir, name: 'default', with: { passphrase } })
  const input = createStarterApplication('private', 'a\u001b[2Jb')
  await vault.engine.call('applications.create', input, { kind: 'owner' })
  vault.lock()
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('a\uFFFD[2Jb')
})

test('an empty environment variable counts as unset', async () => {
  const env = { COFFER_PORT: '', COFFER_VAULT: '', COFFER_DATA_DIR: '' }
  const run = startCoffer(['env', '--data-dir', createTempFolder()], env)
  expect(await run.ended).toBe(0)
  expect(run.lines.join('\n')).toContain('COFFER_BASE_URL=http://127.0.0.1:4747')
})

test('the error for a missing vault names the command that creates it', async () => {
  const { error } = await runCommandLine('keys', 'list', '--data-dir', createTempFolder(), '--vault', 'work')
  expect(error).toMatch(/no vault work .*init --vault work/)
})

test('a usage error exits with code 2 and prints the reason', async () => {
  const run = startCoffer(['serve', '--prot', '4747', '--json'])
  expect(await run.ended).toBe(2)
  expect(run.lines.join('\n')).toMatch(
    /^coffer: Unknown option '--prot'\. Did you mean --port\? See .*serve --help\.$/m,
  )
  expect(await run.json()).toMatchObject({ error: { code: 'usage' } })
})

test('every command has help with examples', () => {
  const program = buildProgram('1.2.3')
  const commands = program.commands.flatMap((command) => [command, ...command.commands])
  expect(commands.length).toBeGreaterThan(20)
  for (const command of commands) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(help, command.name()).toMatch(/Examples?:\n {2}\S/)
  }
})
