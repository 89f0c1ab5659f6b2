import http from 'node:http'
import { onTestFinished } from 'vitest'
import { ConformServer } from '../../electron/conform/conform-server.ts'
import { runStatements } from '../../electron/conform/run-statements.ts'
import type { Statement } from '../../electron/conform/statement.ts'
import type { CheckedServer } from '../../electron/host/conform/check-server.ts'
import { LeftoversFile } from '../../electron/host/conform/leftovers-file.ts'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { noDestinations } from '../../shared/destinations.ts'
import type { ConformReport } from '../../shared/schemas/conform.ts'
import { startServe } from '../cli/run-coffer.ts'
import { listenOnFreePort } from '../outbound/destination.ts'
import { createTempFolder } from '../vault.ts'

type LocalServer = Omit<CheckedServer, 'outbound'>

/** Starts a Coffer with an in-memory vault. Returns its address, its keys, and a folder for what a run leaves. */
export async function serveForConform(): Promise<LocalServer> {
  const dataDir = createTempFolder()
  const { url, keys } = await startServe(dataDir, {}, '--ephemeral', '--reactors').json()
  return { url, dataDir, keys: { key: keys.private, management: keys.management } }
}

/** Creates what sends requests to servers on this machine until the test ends. */
export function createOutbound(): Outbound {
  const outbound = new Outbound({ destinations: () => noDestinations, ownPorts: () => [] })
  onTestFinished(() => outbound.close())
  return outbound
}

/** Checks a server on this machine, where lists and events are quick. */
export function checkLocalServer(
  { url, keys, dataDir }: LocalServer,
  statements: Readonly<Record<string, readonly Statement[]>>,
  until_ms = 10_000,
): Promise<ConformReport> {
  const server = new ConformServer({ url, outbound: createOutbound(), managementKey: keys.management })
  const leftovers = LeftoversFile.openFile(dataDir, url, keys.key)
  return runStatements({ server, keys, statements, leftovers, until_ms })
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
  const answerRequest = async (request: http.IncomingMessage, response: http.ServerResponse) => {
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
  }
  // The server may stop before it has answered.
  const server = http.createServer((request, response) => {
    answerRequest(request, response).catch(() => response.destroy())
  })
  onTestFinished(() => server.closeAllConnections())
  return `http://127.0.0.1:${await listenOnFreePort(server)}`
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') === true
