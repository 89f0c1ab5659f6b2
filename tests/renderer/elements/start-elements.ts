import { onTestFinished } from 'vitest'
import { Api } from '../../../renderer/elements/data/api.ts'
import { References } from '../../../renderer/elements/data/references.ts'
import { lookUp, runService } from '../../../renderer/elements/data/services.ts'
import { Siblings } from '../../../renderer/elements/data/siblings.ts'
import type {
  DataToElement,
  ElementProblem,
  ElementToData,
  Service,
} from '../../../renderer/elements/protocol.ts'
import { startTestServer } from '../../http/test-server.ts'

export const page = 'http://shop.localhost:3000'

type FakeFrame = Partial<Pick<Window, 'parent' | 'closed'>>

/** The element's end of a port. It responds to reads with the result of `held`. */
export type FakeElement = {
  readonly frame: { parent: Window; closed: boolean }
  readonly received: DataToElement[]
  post(message: ElementToData): void
  /** Resolves to the next message of this kind. */
  waitForMessage<K extends DataToElement['kind']>(kind: K): Promise<Extract<DataToElement, { kind: K }>>
}

/** Creates the parts of a data frame with a real listener. Elements join over real ports. */
export async function startElements({ debug = false, timeout = 5000 } = {}) {
  const world = await startTestServer()
  const parent = {} as Window
  const api = new Api({
    base: world.url,
    apiKey: world.keys.public,
    page,
    debug,
    deviceInfo: () => ({ platform: 'test' }),
  })
  const references = new References('data-1')
  const siblings = new Siblings({
    instance: 'instance-1',
    origin: world.url,
    parent,
    timeout,
    resolve: (reference) => references.resolveReference(reference, () => api.fetchOpening()),
    lookUp: (bin) => lookUp(api, bin),
  })
  const services = { api, references, base: world.url, readAll: siblings.readAll.bind(siblings) }

  function joinElement(
    id: string,
    readHeld: () => { problem: ElementProblem; value?: unknown; revealed?: boolean } | null,
    {
      origin = world.url,
      instance = 'instance-1',
      frame = { parent, closed: false } as FakeFrame,
      ports = 1,
    } = {},
  ): FakeElement {
    const channels = Array.from({ length: ports }, () => new MessageChannel())
    const received: DataToElement[] = []
    const waiting: ((message: DataToElement) => void)[] = []
    const own = channels[0]?.port1
    onTestFinished(() => {
      for (const { port1, port2 } of channels) {
        port1.close()
        port2.close()
      }
    })
    if (own) {
      own.onmessage = ({ data }: MessageEvent<DataToElement>) => {
        received.push(data)
        for (const each of waiting.splice(0)) each(data)
        if (data.kind !== 'read') return
        const read = readHeld()
        if (read) own.postMessage({ kind: 'value', call: data.call, ...read } satisfies ElementToData)
      }
    }
    siblings.onJoin({
      data: { coffer: 'sibling', instance, id },
      origin,
      source: frame,
      ports: channels.map(({ port2 }) => port2),
    } as unknown as MessageEvent)
    const fake: FakeElement = {
      frame: frame as FakeElement['frame'],
      received: received,
      post: (message) => own?.postMessage(message),
      async waitForMessage(kind) {
        for (;;) {
          const at = received.findIndex((each) => each.kind === kind)
          const [found] = at < 0 ? [] : received.splice(at, 1)
          if (found) return found as never
          await new Promise((resolve) => waiting.push(resolve as never))
        }
      },
    }
    return fake
  }
  return {
    ...world,
    api,
    references,
    siblings,
    joinElement,
    parent,
    call: (service: Service, ...args: unknown[]) => runService(services, service, args),
  }
}
