import { spawn } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../e2e/chromium.ts'

const root = path.join(import.meta.dirname, '..', '..')
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js')

/** Runs a program as somebody at the root of the checkout does. */
function run(...args: string[]): Promise<{ code: number | null; text: string }> {
  // A test run inside this one must not take itself for a part of it.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$)/.test(name))
  const env = { ...Object.fromEntries(own), NO_COLOR: '1', CHROMIUM_PATH: findChromium() }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })))
}

test.each([
  ['vitest', [vitest, 'run', '--root', 'examples/vitest'], /Tests +4 passed/],
  [
    'jest',
    ['--experimental-vm-modules', jest, '--config', 'examples/jest/jest.config.mjs'],
    /Tests: +2 passed/,
  ],
  ['node:test', ['--test', 'examples/node-test/checkout.test.ts'], /pass 2\b/],
  ['playwright', ['--test', 'examples/playwright/checkout.test.ts'], /pass 2\b/],
])('the example for %s passes', async (_name, args, passed) => {
  const { code, text } = await run(...args)
  expect(text).toMatch(passed)
  expect(code).toBe(0)
})
