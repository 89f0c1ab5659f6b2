import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createStoredVault, name, passphrase } from '../host/stored-vault.ts'
import { findFreePort } from '../ports.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startInTerminal } from './run-coffer.ts'

const unix = test.runIf(process.platform === 'linux')

async function createLockedVault() {
  const { dataDir, vault, recovery_key } = await createStoredVault()
  vault.lock()
  return { place: ['--data-dir', dataDir, '--vault', name], recovery_key }
}

unix('X-34 the prompt reports a wrong passphrase and allows two more attempts', async () => {
  const { place, recovery_key } = await createLockedVault()
  const question = 'Passphrase or recovery key: '
  const opened = startInTerminal(['keys', 'list', ...place])
  await opened.waitForPrompt(question)
  expect(opened.getOutput()).toContain(`The vault ${name} is protected by a passphrase.`)
  opened.press('a wrong one\r')
  await opened.waitForPrompt(question, 2)
  expect(opened.getOutput()).toContain('The passphrase is wrong. Nothing was changed. Try again.')
  opened.press(`${recovery_key}\r`)
  expect(await opened.ended).toBe(0)
  expect(opened.getOutput()).toContain('No applications.')

  const refused = startInTerminal(['backup', ...place])
  for (const nth of [1, 2, 3]) {
    await refused.waitForPrompt(question, nth)
    refused.press('another wrong one\r')
  }
  expect(await refused.ended).toBe(1)
  expect(refused.lines.at(-1)).toBe('coffer: The passphrase is wrong. Nothing was changed.')
  expect(refused.getOutput()).not.toContain('another wrong one')
})

unix('serve says how to create keys if the port is taken during the prompt', async () => {
  const port = await findFreePort()
  const question = 'Passphrase for the new vault'
  const serving = startInTerminal(['serve', '--data-dir', createTempFolder(), '--port', String(port)])
  await serving.waitForPrompt(question)
  const other = net.createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void other.close())
  serving.press('correct horse battery staple\r')
  await serving.waitForPrompt('Type it again')
  serving.press('correct horse battery staple\r')
  expect(await serving.ended).toBe(1)
  expect(serving.getOutput()).toMatch(
    new RegExp(
      `Port ${port} is taken.* The vault was created, and its keys were not shown: create new ones with .* recovery-key .* keys create`,
    ),
  )
})

unix('input during a passphrase check is neither echoed nor used', { tags: 'thorough' }, async () => {
  const { place } = await createLockedVault()
  const run = startInTerminal(['keys', 'list', ...place])
  await run.waitForPrompt('recovery key: ')
  run.press('a wrong one\rtyped ahead\r')
  await run.waitForPrompt('recovery key: ', 2)
  run.press(`${passphrase}\r`)
  expect(await run.ended).toBe(0)
  expect(run.getOutput()).not.toContain('typed ahead')
  expect(run.getOutput().split('is wrong')).toHaveLength(2)
})

unix('the prompt repeats when a new passphrase is short or mismatched', { tags: 'thorough' }, async () => {
  const place = ['--data-dir', createTempFolder()]
  const run = startInTerminal(['init', ...place])
  const first = 'Passphrase for the new vault, at least 8 characters: '
  await run.waitForPrompt(first)
  expect(run.getOutput()).toMatch(/No keychain .*\. A passphrase will protect the vault\./)
  run.press('short\r')
  await run.waitForPrompt(first, 2)
  expect(run.getOutput()).toContain('must have at least 8 characters. Try again.')
  expect(run.getOutput()).not.toContain('The same again')
  run.press('correct horse\r')
  await run.waitForPrompt('Type it again: ')
  run.press('correct house\r')
  await run.waitForPrompt(first, 3)
  expect(run.getOutput()).toContain('The two do not match. Try again.')
  // Ctrl-U deletes the line, Ctrl-W a word.
  run.press('wrong\u0015correct hose\u0017horse\r')
  await run.waitForPrompt('Type it again: ', 2)
  run.press('correct horse\r')
  expect(await run.ended).toBe(0)
  const opened = await runWithEnv({ COFFER_PASSPHRASE: 'correct horse' }, 'keys', 'list', ...place)
  expect(opened.code).toBe(0)
})

unix('a passphrase pasted twice answers both prompts, and can be edited', { tags: 'thorough' }, async () => {
  const place = ['--data-dir', createTempFolder()]
  const run = startInTerminal(['init', ...place])
  await run.waitForPrompt('characters: ')
  // Ctrl-A moves to the start of the line, and an arrow key adds no character.
  run.press('orrect häuser\u0001c\u001b[C\r\ncorrect häuser\r\n')
  expect(await run.ended).toBe(0)
  expect(run.getOutput()).not.toContain('häuser')
  const opened = await runWithEnv({ COFFER_PASSPHRASE: 'correct häuser' }, 'keys', 'list', ...place)
  expect(opened.code).toBe(0)
})

unix('Ctrl-C or Ctrl-D at a prompt exits with 130', async () => {
  const { place } = await createLockedVault()
  const getInitArgs = () => ['init', '--data-dir', createTempFolder()]
  const questions = [
    ['\u0004', getInitArgs, 'characters: '],
    ['\u0003', getInitArgs, 'characters: '],
    ['\u0004', () => ['delete', ...place], 'to confirm'],
    ['\u0003', () => ['delete', ...place], 'to confirm'],
  ] as const
  for (const [key, words, question] of pickSome(questions, 1)) {
    const run = startInTerminal(words())
    await run.waitForPrompt(question)
    run.press(key)
    expect(await run.ended).toBe(130)
  }
})

test('without a terminal, a wrong passphrase ends the command without a prompt', async () => {
  const { place } = await createLockedVault()
  const run = await runWithEnv({ COFFER_PASSPHRASE: 'a wrong one' }, 'keys', 'list', ...place)
  expect(run).toMatchObject({
    code: 1,
    out: '',
    notes: 'coffer: The passphrase is wrong. Nothing was changed.\n',
  })
})
