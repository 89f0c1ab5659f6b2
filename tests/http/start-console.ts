import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import type { Connections } from '../../electron/http/connections.ts'
import { openConsole } from '../../electron/http/console.ts'
import { startHost } from '../host/start-host.ts'
import { Clock, createTempFolder } from '../vault.ts'

const index =
  '<!doctype html><meta name="csp-nonce" content="__NONCE__"><script type="module" src="./assets/index-a1b2c3d4.js"></script>'

/** Creates a folder like that of the built window. */
function createWindow(): string {
  const folder = path.join(createTempFolder(), 'renderer')
  fs.mkdirSync(path.join(folder, 'assets'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'index.html'), index)
  fs.writeFileSync(path.join(folder, 'assets', 'index-a1b2c3d4.js'), 'document.title = "ran"')
  fs.writeFileSync(path.join(folder, '..', 'secret.txt'), 'secret')
  return folder
}

/**
 * Opens a console on a real host, with functions that send requests like a browser. It is closed when the test ends.
 */
export async function startConsole(
  folder = createWindow(),
  onSignedOut?: (link: string) => void,
  connections?: Connections,
) {
  const started = startHost()
  const clock = new Clock()
  const opened = await openConsole({
    port: 0,
    folder,
    now: clock.now,
    engine: started.host.getEngine,
    onSignedOut,
    ...(connections && { connections }),
    run: (call) => runCommand(started.host, call),
    subscribe: (subscriber) => started.host.subscribe(subscriber),
  })
  onTestFinished(() => opened.close())
  const origin = new URL(opened.url).origin
  const own = { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }

  /** Sends a POST like the console's own page. `headers` may replace those of the page. */
  const postToConsole = async (name: string, body: unknown, headers: Record<string, string | null> = {}) => {
    const input = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== null)
    const response = await fetch(`${origin}/_coffer/console/${name}`, {
      method: 'POST',
      headers: Object.fromEntries(input as [string, string][]),
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  const getLaunchToken = (link: string) => new URL(link).hash.slice('#launch='.length)
  const launchConsole = async () => {
    const { headers } = await postToConsole('launch', { token: getLaunchToken(opened.launchLink()) })
    return (headers.get('set-cookie') ?? '').split(';', 1)[0] as string
  }
  return {
    ...started,
    console: opened,
    console_clock: clock,
    origin,
    postToConsole,
    launchConsole,
    getLaunchToken,
  }
}
