import { expect, test } from 'vitest'
import { describeIsolation, findIsolation } from '../../electron/code-runner/isolation/find-isolation.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { serveInProcess } from '../cli/in-process.ts'
import { startHost } from './start-host.ts'
import { createStoredVault, name } from './stored-vault.ts'

test('F-02 the banner, the window and doctor say what keeps code apart on this machine', async () => {
  const sentences = describeIsolation(await findIsolation())
  const { dataDir } = await createStoredVault()
  const findings = await diagnoseVault({ dataDir, name, now: Date.now() })
  expect(findings.find(({ about }) => about === 'code')).toEqual({
    about: 'code',
    state: 'ok',
    text: sentences,
  })
  expect(await startHost().window.host.codeIsolation({})).toEqual({ text: sentences })
  const { out, stop } = await serveInProcess(['--ephemeral', '--reactors'])
  expect(out).toContain(`They are programs with network access.\n${sentences}\n`)
  await stop()
  const { facts } = await serveInProcess(['--ephemeral', '--reactors', '--json'])
  expect(facts.code_isolation).toBe(sentences)
})

test('F-02 a host without any Node says nothing about isolation', async () => {
  const forkNothing = async () => () => {
    throw new Error('Nothing starts.')
  }
  expect(await startHost({ fork: forkNothing }).window.host.codeIsolation({})).toEqual({ text: null })
})
