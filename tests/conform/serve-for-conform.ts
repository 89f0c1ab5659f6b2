import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ConformKeys } from '../../electron/conform/check-statement.ts'
import { type CheckedServer, checkServer } from '../../electron/host/conform/check-server.ts'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { noDestinations } from '../../shared/destinations.ts'
import { startServe } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'

/** Starts a Coffer with an in-memory vault. Returns its address, its keys, and a folder for what a run leaves. */
export async function serveForConform(): Promise<Omit<CheckedServer, 'outbound'>> {
  const dataDir = createTempFolder()
  const { url, keys } = await startServe(dataDir, {}, '--ephemeral', '--reactors').json()
  return { url, dataDir, keys: { key: keys.private, management: keys.management } satisfies ConformKeys }
}

/** Checks a server on this machine. */
export function checkLocalServer(
  server: Omit<CheckedServer, 'outbound'>,
  ...[statements, watch = {}]: [Parameters<typeof checkServer>[1], Parameters<typeof checkServer>[2]?]
) {
  const outbound = new Outbound({ destinations: () => noDestinations, ownPorts: () => [] })
  onTestFinished(() => outbound.close())
  return checkServer({ ...server, outbound }, statements, watch)
}

/** An answer on its way through `startAlteringProxy`, which may change it. `body` is JSON, or text. */
export type PassingAnswer = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly sent: http.IncomingHttpHeaders
  readonly headers: Record<string, string>
  status: number
  body: unknown
}

/** Starts a proxy that alters the answers of a server, or holds them back. Returns its URL. */
export async function startAlteringProxy(
  target: string,
  alterAnswer: (answer: PassingAnswer) => void | Promise<void>,
): Promise<string> {
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const { method = '', url = '' } = request
    const answer = await fetch(target + url, {
      method,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      redirect: 'manual',
    })
    const text = await answer.text()
    const passing: PassingAnswer = {
      method,
      path: url.split('?')[0] ?? '',
      sent: request.headers,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: isJson(answer) && text !== '' ? JSON.parse(text) : text,
    }
    await alterAnswer(passing)
    for (const name of ['connection', 'content-length', 'keep-alive', 'transfer-encoding'])
      delete passing.headers[name]
    response.writeHead(passing.status, passing.headers)
    response.end(typeof passing.body === 'string' ? passing.body : JSON.stringify(passing.body))
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') === true
