import type { FromData, StartedData, ToData } from '../protocol.ts'
import { Api } from './api.ts'
import { deviceInfo } from './device-info.ts'
import { plainError } from './errors.ts'
import { References } from './references.ts'
import { lookUp, serve } from './services.ts'
import { Siblings } from './siblings.ts'

/** How long elements may take to say what they hold, in ms. */
const READ_MS = 10_000

/** Becomes the data frame, which makes the page's calls, and answers its Hello. */
export function startData({ instance, id, origin, port, apiKey, debug }: StartedData): void {
  const base = location.origin
  const api = new Api({ base, apiKey, page: origin, debug, deviceInfo })
  const references = new References(id)
  const siblings = new Siblings({
    instance,
    origin: base,
    parent: window.parent,
    timeout: READ_MS,
    resolve: (reference) => references.resolve(reference, () => api.opening()),
    lookUp: (bin) => lookUp(api, bin),
  })
  const services = { api, references, base, readAll: siblings.readAll.bind(siblings) }
  const tell = (message: FromData) => port.postMessage(message)
  window.addEventListener('message', siblings.join)
  port.onmessage = async ({ data: message }: MessageEvent<ToData>) => {
    if (message.kind === 'forget') return siblings.forget(message.element)
    const { call, service, args } = message
    try {
      tell({ kind: 'answer', call, value: await serve(services, service, args) })
    } catch (error) {
      tell({ kind: 'failed', call, error: plainError(error) })
    }
  }
  tell({ kind: 'mounted' })
}
