import fs from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test, vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { vaultFiles } from '../../electron/host/vault-files.ts'
import { tempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

vi.setConfig({ testTimeout: 60_000 })

const passphrase = 'correct horse battery staple'

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  vi.stubEnv('COFFER_PASSPHRASE', passphrase)
  return () => vi.unstubAllEnvs()
})

async function makeVault() {
  const dataDir = tempFolder()
  expect(await runCommandLine('init', '--data-dir', dataDir, '--json')).not.toHaveProperty('error')
  return { dataDir, file: vaultFiles(dataDir, 'default').database }
}

/** What `serve` and a command that opens the vault say, which is the same. */
async function refusal(dataDir: string): Promise<string> {
  const place = ['--data-dir', dataDir]
  const { error } = await runCommandLine('serve', '--port', '0', ...place)
  expect((await runCommandLine('keys', 'list', ...place)).error).toBe(error)
  return error ?? ''
}

test('X-34 a wrong passphrase is refused with what to do, and the right one still opens the vault', async () => {
  const { dataDir, file } = await makeVault()
  const before = fs.readFileSync(file)
  vi.stubEnv('COFFER_PASSPHRASE', 'a wrong one')
  const { error } = await runCommandLine('serve', '--port', '0', '--data-dir', dataDir)
  expect(error).toMatch(/passphrase/)
  expect(error).not.toContain('a wrong one')
  expect(fs.readFileSync(file).equals(before)).toBe(true)
  vi.stubEnv('COFFER_PASSPHRASE', passphrase)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
})

test('X-26 X-28 a damaged file and a plain SQLite file in its place are refused and left as they are', async () => {
  const { dataDir, file } = await makeVault()
  const whole = fs.readFileSync(file)
  const damaged = Buffer.from(whole)
  damaged.fill(0, 4096, 4200)
  fs.writeFileSync(file, damaged)
  expect(await refusal(dataDir)).toMatch(/is damaged.*Restore a backup/)
  expect(fs.readFileSync(file).equals(damaged)).toBe(true)

  fs.rmSync(file)
  const plain = new Database(file)
  plain.exec('CREATE TABLE tokens (id TEXT)')
  plain.close()
  const bytes = fs.readFileSync(file)
  expect(await refusal(dataDir)).toMatch(/is an unencrypted SQLite file.*Move it away/)
  expect(fs.readFileSync(file).equals(bytes)).toBe(true)

  fs.writeFileSync(file, whole)
  expect((await runCommandLine('keys', 'list', '--data-dir', dataDir)).out).toContain('management')
})

test('X-26 a data folder that cannot be is refused with what to do', async () => {
  const file = path.join(tempFolder(), 'file')
  fs.writeFileSync(file, 'mine')
  for (const dataDir of [file, path.join(file, 'below')]) {
    for (const command of [['serve', '--port', '0'], ['init']]) {
      const { error } = await runCommandLine(...command, '--data-dir', dataDir)
      expect(error).toMatch(/folder.*Choose another place/)
    }
  }
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
})

test('a vault that does not exist is named with the command that makes one', async () => {
  const { error } = await runCommandLine('keys', 'list', '--data-dir', tempFolder(), '--vault', 'work')
  expect(error).toMatch(/no vault work .*coffer init/)
})

test.each([
  [['serve', '--prot', '4747'], /unknown option '--prot'[\s\S]*--port/],
  [['serve', '--port', '70000'], /0 to 65535/],
  [['keys', 'create', '--type', 'admin'], /management/],
  [['keys', 'create'], /--type/],
  [['sevre'], /unknown command 'sevre'[\s\S]*serve/],
])('%j ends with exit code 1 and what is wrong', async (args, expected) => {
  const run = startCoffer([...args, ...(args.length > 1 ? ['--data-dir', tempFolder()] : [])])
  expect(await run.ended).toBe(1)
  expect(run.lines.join('\n')).toMatch(expected)
})

test('every command has a help with examples', () => {
  const program = buildProgram('1.2.3')
  const leaves = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  )
  expect(leaves.length).toBeGreaterThan(15)
  for (const command of leaves) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(help, command.name()).toMatch(/Examples?:\n {2}\S/)
  }
})
