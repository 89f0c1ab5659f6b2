import { readDeviceInfo } from '../device-info.ts'
import type { FromData, StartedData, ToData } from '../protocol.ts'
import { Api } from './api.ts'
import { toPlainError } from './errors.ts'
import { References } from './references.ts'
import { lookUp, runService } from './services.ts'
import { Siblings } from './siblings.ts'

/** How long elements may take to send their values. */
const READ_TIMEOUT_MS = 10_000

/** Starts the data frame, which makes the page's API calls, and responds to its Hello. */
export function startData({ instance, id, origin, port, apiKey, debug }: StartedData): void {
  const base = location.origin
  const api = new Api({ base, apiKey, page: origin, debug, deviceInfo: readDeviceInfo })
  const references = new References(id)
  const siblings = new Siblings({
    instance,
    origin: base,
    parent: window.parent,
    timeout: READ_TIMEOUT_MS,
    resolve: (reference) => references.resolveReference(reference, () => api.fetchOpening()),
    lookUp: (bin) => lookUp(api, bin),
  })
  const services = { api, references, base, readAll: siblings.readAll.bind(siblings) }
  const post = (message: FromData) => port.postMessage(message)
  window.addEventListener('message', siblings.onJoin)
  port.onmessage = async ({ data: message }: MessageEvent<ToData>) => {
    if (message.kind === 'forget') return siblings.removeElement(message.element)
    const { call, service, args } = message
    try {
      post({ kind: 'answer', call, value: await runService(services, service, args) })
    } catch (error) {
      post({ kind: 'failed', call, error: toPlainError(error) })
    }
  }
  post({ kind: 'mounted' })
}
