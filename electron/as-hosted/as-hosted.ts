import type { Destinations } from '../../shared/destinations.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { listAnswered, listHostNames, toOrigin } from './answered-names.ts'
import { issueCertificates } from './authority.ts'
import { createHostedEnvironment } from './environment.ts'
import { forwardRequest } from './forward.ts'
import { openForwardProxy } from './forward-proxy.ts'
import { type AnswerRequest, type FrontOptions, openFront } from './front.ts'
import { RunFolder } from './run-folder.ts'

export type AsHostedOptions = {
  /** The destinations at the start. An origin that is mapped later has no certificate. */
  readonly destinations: Destinations
  readonly outbound: Outbound
  /** The origins of web pages that the owner allows. */
  readonly origins: () => readonly string[]
  /** Answers a request to the service as the listener would. */
  readonly answer: FrontOptions['answer']
  /** Describes a request to its sender. */
  readonly echo: AnswerRequest
}

/** The names of the hosted service, answered on this machine until closed. */
export type AsHosted = {
  /** The origins that are answered, such as `https://api.basistheory.com`. */
  readonly origins: readonly string[]
  /** The port of the front, which ends TLS for them. */
  readonly port: number
  /** The proxy that ends TLS for these origins and connects to allowed destinations, with its password. */
  readonly proxy: { readonly url: string; readonly port: number }
  /** The hash of the certificates' public key, for Chromium. */
  readonly spki: string
  /** Returns the variables for a program whose environment would otherwise be `base` (rule H-03). */
  createEnvironment(base: NodeJS.ProcessEnv): Record<string, string>
  close(): Promise<void>
}

/**
 * Answers the names of the hosted service, and what the owner maps, on free ports of this machine (rules H-01 to H-04).
 * Rejects if no port can be opened.
 */
export async function openAsHosted(options: AsHostedOptions): Promise<AsHosted> {
  const { destinations, outbound, origins } = options
  const answered = listAnswered(destinations)
  const certificates = await issueCertificates(listHostNames(answered))
  const isAllowedPage = (page: string) =>
    origins().includes(page) || answered.get(`${page.replace('https://', '')}:443`) === 'mapped'
  const forward: AnswerRequest = (request, response, origin) =>
    void forwardRequest(request, response, origin, { outbound, isAllowedPage })
  const front = await openFront({ ...options, answered, certificates, forward })
  const proxy = await openForwardProxy({ answered, front, outbound, forward })
  const folder = new RunFolder()
  const { root, spki } = certificates
  return {
    origins: [...answered.keys()].map(toOrigin),
    port: front.port,
    proxy,
    spki,
    createEnvironment: (base) =>
      createHostedEnvironment({ answered, frontPort: front.port, proxy, root, folder, base }),
    async close() {
      await proxy.close()
      await front.close()
      folder.remove()
    },
  }
}
