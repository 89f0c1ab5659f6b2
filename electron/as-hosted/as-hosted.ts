import net from 'node:net'
import type { Destinations } from '../../shared/destinations.ts'
import type { HostedConnection } from '../../shared/host/as-hosted.ts'
import { listenOnLoopback } from '../http/listener.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type AnsweredRole, listAnswered, listHostNames, toOrigin } from './answered-names.ts'
import { type Issuer, issueCertificates } from './authority.ts'
import { createHostedEnvironment, writeShellFile } from './environment.ts'
import { forwardRequest } from './forward.ts'
import { openForwardProxy } from './forward-proxy.ts'
import {
  type AnswerRequest,
  type Front,
  type FrontOptions,
  type ObserveConnection,
  openFront,
} from './front.ts'
import { RunFolder } from './run-folder.ts'

export type AsHostedOptions = {
  /** The destinations at the start. An origin that is mapped later has no certificate. */
  readonly destinations: Destinations
  readonly outbound: Outbound
  /** The lasting authority. Without one, the run has its own. */
  readonly issuer?: Issuer | undefined
  /** The port of the front; 0 picks a free one. */
  readonly port: number
  /** Replaces default limits of the front's and the proxy's connections. */
  readonly budget?: FrontOptions['budget']
  /** The origins of web pages that the owner allows. */
  readonly origins: () => readonly string[]
  /** Answers a request to the service as the listener would. */
  readonly answer: FrontOptions['answer']
  /** Describes a request to its sender. */
  readonly echo: AnswerRequest
  /** Called for each request and each connection that comes (rule H-06). */
  readonly onConnection?: (connection: ObservedConnection) => void
}

type ObservedConnection = Pick<HostedConnection, 'route' | 'host' | 'outcome'> & {
  readonly user_agent: string | undefined
}

/** The names of the hosted service, answered on this machine until closed. */
export type AsHosted = {
  /** The origins that are answered, such as `https://api.basistheory.com`. */
  readonly origins: readonly string[]
  /** What each origin answers. */
  readonly roles: ReadonlyMap<string, AnsweredRole>
  /** The port of the front, which ends TLS for them. */
  readonly port: number
  /** All ports of this machine that are open for it. */
  readonly ports: readonly number[]
  /** The proxy that ends TLS for these origins and connects to allowed destinations, with its password. */
  readonly proxy: { readonly url: string; readonly port: number }
  /** The certificate of the authority, in PEM. */
  readonly root: string
  /** The arguments with which Chromium finds the front and trusts it. */
  readonly chromium: readonly string[]
  /** Returns the variables for a program whose environment would otherwise be `base` (rule H-03). */
  createEnvironment(base: NodeJS.ProcessEnv): Record<string, string>
  /** Writes a file that sets variables in a shell, and returns its path. */
  writeShellFile(environment: Readonly<Record<string, string>>): string
  closeServers(): Promise<void>
}

/** Opens another port of the front. Only the preload leads programs there, so their route is known (rule H-06). */
async function openPreloadPort(front: Front): Promise<{ readonly port: number; stopListening(): void }> {
  const server = net.createServer({ noDelay: true }, (socket) => front.takeOver(socket))
  return {
    port: await listenOnLoopback(server, 0),
    // The front closes the connections.
    stopListening: () => void server.close(),
  }
}

/** Reports connections. Their route follows from the port that received them. */
function createObserver(
  routes: ReadonlyMap<number | undefined, HostedConnection['route']>,
  onConnection: AsHostedOptions['onConnection'],
): ObserveConnection {
  return ({ headers, socket }, host, outcome) =>
    onConnection?.({
      route: routes.get(socket.localPort) ?? 'direct',
      host,
      outcome,
      user_agent: headers?.['user-agent'],
    })
}

/**
 * Answers the names of the hosted service, and what the owner maps, on ports of this machine (rules H-01 to H-04).
 * Rejects if a port cannot be opened.
 */
export async function openAsHosted(options: AsHostedOptions): Promise<AsHosted> {
  const { destinations, outbound, origins } = options
  const answered = listAnswered(destinations)
  const certificates = await issueCertificates(listHostNames(answered), options.issuer)
  const isAllowedPage = (page: string) =>
    origins().includes(page) || answered.get(`${page.replace('https://', '')}:443`) === 'mapped'
  const forwardMapped: AnswerRequest = (request, response, origin) =>
    void forwardRequest(request, response, origin, { outbound, isAllowedPage })
  const routes = new Map<number | undefined, HostedConnection['route']>()
  const observeConnection = createObserver(routes, options.onConnection)
  // First, because a full or read-only disk fails here, and no port may stay open then.
  const folder = new RunFolder()
  const front = await openFront({
    ...options,
    answered,
    certificates,
    forward: forwardMapped,
    observeConnection,
  }).catch((error) => {
    folder.removeFiles()
    throw error
  })
  const proxy = await openForwardProxy({
    answered,
    front,
    outbound,
    budget: options.budget,
    forward: forwardMapped,
    observeConnection,
  })
  routes.set(proxy.port, 'proxy')
  const preload = await openPreloadPort(front)
  routes.set(preload.port, 'preload')
  const { root, spki } = certificates
  const rules = [...answered.keys()].map((name) => `MAP ${name} 127.0.0.1:${front.port}`)
  return {
    origins: [...answered.keys()].map(toOrigin),
    roles: new Map(Array.from(answered, ([name, role]) => [toOrigin(name), role] as const)),
    port: front.port,
    ports: [front.port, proxy.port, preload.port],
    proxy,
    root,
    chromium: [`--host-resolver-rules=${rules.join(', ')}`, `--ignore-certificate-errors-spki-list=${spki}`],
    createEnvironment: (base) =>
      createHostedEnvironment({ answered, preloadPort: preload.port, proxy, root, folder, base }),
    writeShellFile: (environment) => writeShellFile(environment, folder),
    async closeServers() {
      // Closing waits for handshakes, so the files go first.
      folder.removeFiles()
      preload.stopListening()
      await proxy.closeServer()
      await front.closeServer()
    },
  }
}
