import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { freePort } from '../ports.ts'
import { isThorough } from '../thorough.ts'
import { seriousIn } from './axe.ts'
import { openChromium } from './chromium.ts'

/** A challenge, then paid. Nothing but the elements and the provider may ever hold it. */
const canary = '4000020000000000'

let shop: Awaited<ReturnType<typeof startExample>>
beforeAll(async () => {
  shop = await startExample()
})
afterAll(() => shop.stop())

/** What `npm run example:checkout` starts once it has built what it needs. */
async function startExample() {
  const port = await freePort()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-checkout-'))
  const flags = ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`]
  const child = spawn(process.execPath, [...flags, path.join('examples', 'checkout', 'start.ts')], {
    env: { ...process.env, PORT: String(port) },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log += data))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([eventually(() => log.includes('Ctrl-C') || undefined), ended])
  if (child.exitCode !== null) throw new Error(log)
  return {
    url: `http://localhost:${port}`,
    log: () => log,
    /** Every string in the memory of the shop's server. */
    async memory(): Promise<string> {
      child.kill('SIGUSR2')
      const file = () => fs.readdirSync(folder).find((name) => name.endsWith('.heapsnapshot'))
      const name = await eventually(() => file())
      return eventually(() => {
        const text = fs.readFileSync(path.join(folder, name), 'utf8')
        return text.endsWith(']}') || text.endsWith(']\n}') ? text : undefined
      })
    },
    async stop() {
      child.kill('SIGINT')
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
