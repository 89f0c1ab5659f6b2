import { onTestFinished } from 'vitest'
import { ReactorPool } from '../electron/code-runner/pool.ts'
import { Reactors } from '../electron/host/reactors/reactors.ts'
import type { Connections } from '../electron/http/connections.ts'
import { openListener } from '../electron/http/listener.ts'
import type { Json } from '../shared/json.ts'
import { openBriefVault, openVault } from './vault.ts'

type Served = Awaited<ReturnType<typeof serve>>

/** A listener, with what runs code for it, of whichever vault is in `open` when a request arrives. */
async function serve(
  open: { vault: ReturnType<typeof openVault> },
  origins: string[],
  hosts: string[],
  connections?: Connections,
) {
  const engine = () => open.vault.engine
  const code = new Reactors({
    engine,
    isOn: () => true,
    baseUrl: () => listener.url,
    newPool: () => new ReactorPool({ packagesDir: null }),
    report: (error) => {
      throw error
    },
  })
  const listener = await openListener({
    engine,
    port: 0,
    code,
    origins,
    hosts,
    ...(connections && { connections }),
  })
  return { open, code, listener }
}

/** The listener of a test that has ended: opening one takes longer than opening its vault. */
let left: Served | undefined

/**
 * A vault with an open listener and a key for everything a type may do; gone when the test ends. Unless it is to be
 * `fresh`, the listener may be one that another test has left, and another test may take it over. Unless it is to be
 * `durable`, the vault is one for a test that does not ask what outlives the process.
 */
export async function startListener({
  origins = [],
  hosts = [],
  fresh = false,
  durable = false,
  connections,
}: {
  origins?: string[]
  hosts?: string[]
  fresh?: boolean
  durable?: boolean
  /** What connections may take; for a listener that is `fresh`. */
  connections?: Connections
} = {}) {
  const vault = durable ? openVault() : openBriefVault()
  const spare = fresh ? undefined : left
  if (spare) {
    left = undefined
    spare.open.vault = vault
    spare.listener.admit({ origins, hosts })
  }
  const served = spare ?? (await serve({ vault }, origins, hosts, connections))
  const { listener, code } = served
  let isClosed = false
  const close = () => {
    isClosed = true
    return listener.close()
  }
  /** Under rate limits, what this test has asked for would count for the next one. */
  const hasCounted = () => {
    try {
      return vault.engine.settings.rate_limits !== 'off'
    } catch {
      return true
    }
  }
  onTestFinished(async ({ task }) => {
    if (!fresh && !left && !isClosed && !hasCounted() && task.result?.state !== 'fail') left = served
    else await close()
    await code.stop()
  })
  /** One request; the body is sent as JSON unless `raw` is given. */
  async function request(
    method: string,
    path: string,
    {
      key,
      body,
      raw,
      headers = {},
    }: {
      key?: string
      body?: Json
      raw?: string | Uint8Array<ArrayBuffer>
      headers?: Record<string, string>
    } = {},
  ) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(listener.url + path, {
      method,
      headers: {
        ...(key !== undefined && { 'SVC-API-KEY': key }),
        ...((body !== undefined || raw !== undefined) && { 'Content-Type': type }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return { vault, url: listener.url, port: listener.port, close, request }
}
