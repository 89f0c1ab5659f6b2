import fs from 'node:fs'
import type { Browser } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** The headless shell comes first: it has the same engine without browser windows, and takes half the time. */
const usualPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Finds Chromium on this machine, or uses CHROMIUM_PATH. */
export function findChromium(): string {
  const named = process.env.CHROMIUM_PATH
  const found = (named ? [named] : usualPlaces).find((file) => fs.existsSync(file))
  if (found) return found
  throw new Error(
    'This test needs Chromium. Install the Debian package chromium, or name one in CHROMIUM_PATH.',
  )
}

export function getChromiumOptions() {
  return {
    executablePath: findChromium(),
    headless: true,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      // Simulates names that an attacker has rebound to this machine.
      '--host-resolver-rules=MAP rebound.test 127.0.0.1, MAP *.rebound.test 127.0.0.1',
    ],
  }
}

let shared: Promise<Browser> | undefined

/** Returns a headless Chromium that all test files of a worker share. Closing it only closes its open contexts. */
export async function launchChromium(): Promise<Browser> {
  const { args, ...options } = getChromiumOptions()
  // Tests are over before optimized code would have paid for its compilation.
  const launched = { ...options, args: [...args, '--js-flags=--no-opt'] }
  // Imported only here, because that takes a second and many tests need only a path from this file.
  shared ??= import('playwright-core').then(({ chromium }) => chromium.launch(launched))
  const browser = await shared
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  }
  return browser
}

/** A headless Chromium, closed when the test ends. */
export async function openChromium(): Promise<Browser> {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  return browser
}
