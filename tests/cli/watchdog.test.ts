import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { builtCli, getServeArgs, startCoffer } from './run-coffer.ts'

const preload = path.join(import.meta.dirname, '..', 'blocked.cjs')

/** Starts `coffer serve` and blocks its main thread until `unblock` is called. Returns once an incident tells of it. */
async function startBlocked() {
  const dataDir = path.join(createTempFolder(), 'data')
  const file = path.join(createTempFolder(), 'unblock')
  const env = { NODE_OPTIONS: `--require=${JSON.stringify(preload)}`, TEST_UNBLOCK_FILE: file }
  const passphrase = { COFFER_PASSPHRASE: 'correct horse battery staple' }
  const coffer = startCoffer(getServeArgs(dataDir), { ...env, ...passphrase }, builtCli)
  const { url } = await coffer.json()
  coffer.signal('SIGUSR2')
  const readIncidents = () => {
    const log = path.join(dataDir, 'incidents.log')
    return fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : []
  }
  await expect.poll(readIncidents, { timeout: 30_000 }).toHaveLength(1)
  const incident = JSON.parse(readIncidents()[0] as string)
  return { coffer, url, incident, unblock: () => fs.writeFileSync(file, ''), readIncidents }
}

test('X-76 a blocked main thread is an incident that says what it runs, and SIGTERM ends it', async () => {
  const { coffer, incident } = await startBlocked()
  expect(incident).toMatchObject({ where: 'main thread', class: 'Error', code: 'BLOCKED' })
  expect(incident.stack.join('\n')).toContain('tests/blocked.cjs')
  coffer.stop()
  // By the signal itself, so that there is no exit code.
  expect(await coffer.ended).toBe(null)
})

test('X-76 a main thread that is free again answers, and finishes its work at SIGTERM', async () => {
  const { coffer, url, unblock, readIncidents } = await startBlocked()
  unblock()
  expect((await fetch(`${url}/_coffer/ready`)).status).toBe(200)
  coffer.stop()
  expect(await coffer.ended).toBe(0)
  expect(readIncidents()).toHaveLength(1)
})
