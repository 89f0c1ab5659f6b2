import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startInTerminal } from './run-coffer.ts'

test('delete removes the named vault, and its backups only if requested', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse')
  onTestFinished(() => void vi.unstubAllEnvs())
  const dataDir = path.join(createTempFolder(), 'data')
  const runCoffer = (...args: string[]) => runCommandLine(...args, '--data-dir', dataDir, '--vault', 'work')
  await runCoffer('init', '--json')
  await runCoffer('backup', '--json')
  const backups = path.join(dataDir, 'backups', 'work')

  const unasked = await runCoffer('delete')
  expect(unasked.error).toContain('--yes-delete work')
  expect(unasked.notes).toContain(
    `1 backup of it in ${backups} will be kept. Restoring it requires its recovery key, or the passphrase`,
  )
  expect((await runCoffer('delete', '--yes-delete', 'works')).error).toContain('not the name of the vault')
  expect(fs.existsSync(path.join(dataDir, 'work', 'vault.db'))).toBe(true)
  expect(await runCoffer('delete', '--yes-delete', 'work')).toMatchObject({
    code: 0,
    out: `The vault work is deleted. 1 backup is kept in ${backups}.\n`,
  })
  expect(fs.readdirSync(dataDir)).toEqual(['backups'])
  expect((await runCoffer('delete', '--yes-delete', 'work')).error).toContain('There is no vault work')

  const [file = ''] = fs.readdirSync(backups)
  await runCoffer('restore', path.join(backups, file), '--json')
  const { out } = await runCoffer('delete', '--yes-delete', 'work', '--with-backups', '--json')
  expect(JSON.parse(out)).toEqual({
    name: 'work',
    backups_kept: 0,
    backups_removed: 1,
    keychain_left: [],
  })
  // No file of Coffer is left, and the folder had no other files.
  expect(fs.existsSync(dataDir)).toBe(false)
})

test('delete asks for the vault’s name at a terminal', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse')
  onTestFinished(() => void vi.unstubAllEnvs())
  await runCommandLine('init', '--json', '--data-dir', dataDir)
  const run = startInTerminal(['delete', '--data-dir', dataDir])
  await run.waitForPrompt('Type the name of the vault to confirm (default): ')
  run.press('default\n')
  expect(await run.waitForLine(/is deleted/)).toBe('The vault default is deleted.')
  expect(await run.ended).toBe(0)
})
