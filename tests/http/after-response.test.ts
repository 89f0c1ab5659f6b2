import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openListener } from '../../electron/http/listener.ts'
import type { IncomingCall } from '../../electron/http/proxy/proxy-caller.ts'
import { createProxies } from '../create-proxies.ts'
import { openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const mistake = new TypeError('a mistake of ours')
const throwMistake = () => {
  throw mistake
}

/** Opens a vault, and collects the incidents that are reported. */
function startReports() {
  const incidents: unknown[] = []
  const collectIncident = (error: unknown) => {
    incidents.push(error)
  }
  return { vault: openVault(), incidents, report: collectIncident }
}

test('A-06 an error in an event about a request is reported and does not end the program', async () => {
  const { vault, incidents, report } = startReports()
  const { key } = await vault.application({ permissions: ['token:read'] })
  const { engine } = vault
  const listener = await openListener({ engine: () => engine, port: 0, origins: [], hosts: [], report })
  onTestFinished(() => listener.close())
  vi.spyOn(engine.outbox, 'hasSubscribers').mockReturnValue(true)
  vi.spyOn(engine.outbox, 'publishEvent').mockImplementation(throwMistake)
  const { status } = await fetch(`${listener.url}/permissions`, { headers: { 'SVC-API-KEY': key } })
  expect(status).toBe(200)
  await waitFor(() => expect(incidents).toEqual([mistake]))
})

test('A-06 an error in the record of an interrupted call is reported and does not end the program', async () => {
  const { vault, incidents, report } = startReports()
  const { proxies, outbound } = createProxies({ ownPorts: () => [], report })
  onTestFinished(() => outbound.close())
  const { engine } = vault
  const body = new PassThrough()
  const request = {
    proxy_key: null,
    proxy_url: null,
    method: 'GET',
    path: '',
    query: '',
    headers: [],
    body: null,
  }
  const call: IncomingCall = {
    ...request,
    engine,
    upload: null,
    caller: { kind: 'owner' },
    info: {},
    started: 0,
    signal: new AbortController().signal,
    runLimited: (_body, step) => step(),
  }
  const ids = { destination_status: 200, host: 'shop.test', proxy_id: null, application_id: null }
  proxies.recordResponse(call, { status: 200, headers: [], body, ...ids })
  vi.spyOn(engine.outcomes, 'recordOutcome').mockImplementation(throwMistake)
  body.destroy(new Error('cut'))
  await waitFor(() => expect(incidents).toEqual([mistake]))
})
