import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Operations } from '../../electron/engine/operations.ts'
import type { HostCommands } from '../../electron/host/commands/catalogue.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import type { HostOptions } from '../../electron/host/host-options.ts'
import { openConsole } from '../../electron/http/console.ts'
import manifest from '../../package.json' with { type: 'json' }
import { createClient } from '../../shared/client.ts'

/** The window's files, built by `npm run build`. */
const folder = fileURLToPath(new URL('../../out/renderer', import.meta.url))

/** Long enough for a busy machine, so that only a page that hangs fails. */
export const PAGE_TIMEOUT_MS = 100_000

function createWindowFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-window-'))
}

let last = 0

/** Returns no time twice, because lists sort what was created in the same millisecond by its random id. */
function getNextTime(): number {
  last = Math.max(Date.now(), last + 1)
  return last
}

/** Starts a host that serves the window to a browser like `coffer serve --console`, on this port or any free one. */
export async function startWindow(
  dataDir = path.join(createWindowFolder(), 'data'),
  port = 0,
  options: Pick<HostOptions, 'undoMs'> = {},
) {
  const host = new Host({
    version: manifest.version,
    shell: 'console',
    dataDir,
    autoLock: false,
    overrides: { port: 0 },
    now: getNextTime,
    ...options,
  })
  const console = await openConsole({
    port,
    folder,
    run: (call) => runCommand(host, call),
    subscribe: (subscriber) => host.subscribe(subscriber),
    engine: host.getEngine,
  })
  const owner = createClient<Operations & HostCommands>((name, input) => runCommand(host, { name, input }))
  return {
    host,
    owner,
    dataDir,
    launchLink: console.launchLink,
    port: Number(new URL(console.url).port),
    async close() {
      await console.close()
      await host.close()
    },
  }
}

/** Opens a signed-in page. `faults` collects its console errors. */
export async function openPage(
  browser: Browser,
  launchLink: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  await allowClipboard(context, launchLink)
  const page = await context.newPage()
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  const faults = collectPageErrors(page)
  await page.goto(launchLink)
  return { page, faults }
}

/** Allows the pages of a link's origin to read and write the clipboard. */
export function allowClipboard(context: BrowserContext, link: string): Promise<void> {
  return context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(link).origin })
}

/** Collects the console errors of a page from now on. */
export function collectPageErrors(page: Page): string[] {
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return faults
}
