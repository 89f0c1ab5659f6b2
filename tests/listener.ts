import { onTestFinished } from 'vitest'
import { Reactors } from '../electron/host/reactors/reactors.ts'
import { openListener } from '../electron/http/listener.ts'
import { ReactorPool } from '../electron/reactors/pool.ts'
import type { Json } from '../shared/json.ts'
import { openVault } from './vault.ts'

/** A vault with an open listener and a key for everything a type may do; gone when the test ends. */
export async function startListener(options: { origins?: string[]; hosts?: string[] } = {}) {
  const vault = openVault()
  const code = new Reactors({
    engine: () => vault.engine,
    isOn: () => true,
    baseUrl: () => listener.url,
    newPool: () => new ReactorPool({ packagesDir: null }),
  })
  const listener = await openListener({
    engine: () => vault.engine,
    port: 0,
    code,
    origins: options.origins ?? [],
    hosts: options.hosts ?? [],
  })
  onTestFinished(async () => {
    await listener.close()
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
  return { vault, url: listener.url, port: listener.port, close: listener.close, request }
}
