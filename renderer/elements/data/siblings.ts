import type {
  DataToElement,
  ElementProblem,
  ElementToData,
  Placeholder,
  Reference,
  Sibling,
} from '../protocol.ts'
import { createServiceError } from './errors.ts'

export type SiblingValue = {
  readonly problem: ElementProblem
  readonly value?: unknown
  readonly revealed?: boolean
}

type PendingRead = { readonly resolve: (read: SiblingValue) => void; readonly reject: (error: Error) => void }

type JoinedElement = {
  readonly port: MessagePort
  readonly window: Window | null
  readonly reads: Map<number, PendingRead>
  /** The id of the element that this one mirrors. */
  source: string | null
}

type SiblingsOptions = {
  readonly instance: string
  readonly origin: string
  /** The page that embeds the frames. */
  readonly parent: Window
  /** How long elements may take to respond, in ms. */
  readonly timeout: number
  readonly resolve: (reference: Reference) => Promise<unknown>
  readonly lookUp: (bin: string) => Promise<unknown>
}

/** The data frame's side of its ports to the elements of one instance. */
export class Siblings {
  readonly #options: SiblingsOptions
  readonly #joined = new Map<string, JoinedElement>()
  readonly #removed = new Set<string>()
  #calls = 0

  constructor(options: SiblingsOptions) {
    this.#options = options
  }

  /**
   * Connects an element that joins. SECURITY: window messages can come from anywhere. A message is accepted
   * only from a frame that has this origin, is in the same page, and belongs to this instance.
   */
  readonly onJoin = ({ data, origin, source, ports }: MessageEvent): void => {
    const sibling = data as Partial<Sibling> | null
    const [port, ...more] = ports
    if (origin !== this.#options.origin || !port || more.length > 0) return
    if (sibling?.coffer !== 'sibling' || sibling.instance !== this.#options.instance) return
    const window = source as Window | null
    if (typeof sibling.id !== 'string' || window?.parent !== this.#options.parent) return
    const { id } = sibling
    this.removeElement(id)
    this.#removed.delete(id)
    this.#joined.set(id, { port, window, reads: new Map(), source: null })
    port.onmessage = (event: MessageEvent<ElementToData>) => this.#onMessage(id, event.data)
    const isFollowed = [...this.#joined.values()].some(({ source: followed }) => followed === id)
    if (isFollowed) this.#post(id, { kind: 'follow' })
  }

  /** Rejects reads that wait for an element which is no longer in the page. */
  removeElement(id: string): void {
    const joined = this.#joined.get(id)
    if (!joined) return
    this.#joined.delete(id)
    this.#removed.add(id)
    joined.port.close()
    for (const { reject } of joined.reads.values()) reject(createRemovedError())
  }

  /** Reads several elements in parallel. Throws if one is not in the page, or does not respond in time. */
  async readAll(placeholders: readonly Placeholder[]): Promise<Map<Placeholder, SiblingValue>> {
    const { promise: timedOut, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(createServiceError('Timeout while trying to securely read elements values')),
      this.#options.timeout,
    )
    try {
      const reads = Promise.all(
        placeholders.map(async (each) => [each, await this.#readElement(each)] as const),
      )
      return new Map(await Promise.race([reads, timedOut]))
    } finally {
      clearTimeout(timer)
    }
  }

  #readElement({ $element: id, method, format }: Placeholder): Promise<SiblingValue> {
    const joined = this.#joined.get(id)
    if (joined?.window?.closed || this.#removed.has(id)) return Promise.reject(createRemovedError())
    if (!joined) return Promise.reject(createServiceError('Element is not mounted'))
    const call = ++this.#calls
    const { promise, resolve, reject } = Promise.withResolvers<SiblingValue>()
    joined.reads.set(call, { resolve, reject })
    this.#post(id, {
      kind: 'read',
      call,
      ...(method !== undefined && { method }),
      ...(format !== undefined && { format }),
    })
    return promise
  }

  async #onMessage(id: string, message: ElementToData): Promise<void> {
    switch (message.kind) {
      case 'value': {
        const { call, problem, value, revealed = false } = message
        const reads = this.#joined.get(id)?.reads
        reads?.get(call)?.resolve({ problem, value, revealed })
        reads?.delete(call)
        return
      }
      case 'resolve': {
        const { call, reference } = message
        const value = await this.#options.resolve(reference)
        if (value === undefined) this.#post(id, { kind: 'unresolved', call })
        else this.#post(id, { kind: 'resolved', call, value })
        return
      }
      case 'mirror': {
        const joined = this.#joined.get(id)
        if (joined) joined.source = message.source
        this.#post(message.source, { kind: 'follow' })
        return
      }
      case 'now':
        for (const [target, { source }] of this.#joined) {
          if (source === id) this.#post(target, { kind: 'mirrored', value: message.value })
        }
        return
      case 'bin':
        this.#post(id, { kind: 'bin', call: message.call, details: await this.#options.lookUp(message.bin) })
    }
  }

  #post(id: string, message: DataToElement): void {
    this.#joined.get(id)?.port.postMessage(message)
  }
}

const createRemovedError = () => createServiceError('Element was removed from the DOM')
