import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startCoffer, startServe } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'
import { getChromiumOptions } from './chromium.ts'

// Coffer finds the store of Chromium only on Linux, and its tool is in the Debian package libnss3-tools.
const isMissing = process.platform !== 'linux' || spawnSync('certutil', ['-H']).error !== undefined

const title =
  'H-02 a browser of one’s own trusts the hosted names after coffer trust, and no longer after --remove'

test.skipIf(isMissing)(title, async () => {
  const home = createTempFolder()
  const store = path.join(home, '.pki', 'nssdb')
  fs.mkdirSync(store, { recursive: true })
  execFileSync('certutil', ['-N', '-d', `sql:${store}`, '--empty-password'])
  const dataDir = path.join(home, 'data')
  const env = { HOME: home, COFFER_PASSPHRASE: 'correct horse battery staple' }
  const runTrust = (option: string) => startCoffer(['trust', option, '--data-dir', dataDir], env).ended
  expect(await runTrust('--yes')).toBe(0)
  const serve = startServe(dataDir, env, '--ephemeral', '--as-hosted')
  const { as_hosted: hosted } = await serve.json()
  const [resolverRules = ''] = hosted.chromium
  const { args, ...options } = getChromiumOptions()
  const loadPage = async () => {
    const browser = await chromium.launch({
      ...options,
      args: [...args, resolverRules],
      env: { ...process.env, HOME: home },
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    return page.goto('https://api.basistheory.com/_coffer/ready').then(
      (response) => response?.status(),
      (error: Error) => error.message.split('\n')[0],
    )
  }
  expect(await loadPage()).toBe(200)
  expect(await runTrust('--remove')).toBe(0)
  expect(await loadPage()).toContain('ERR_CERT_AUTHORITY_INVALID')
})
