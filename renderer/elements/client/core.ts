import type {
  CardMetadata,
  ElementEvent,
  ElementMetadata,
  ElementOptions,
  ElementType,
  FromElement,
  ToElement,
} from '../protocol.ts'
import type { Backend } from './backend.ts'
import { createConfigurationError, NOT_MOUNTED, REMOVED_FROM_DOM, rebuildError } from './errors.ts'
import { Frame } from './frame.ts'
import { after, cancel, newId } from './globals.ts'
import { Listeners } from './listeners.ts'
import { diffOptions, pickOptions } from './options.ts'
import { toReferences } from './references.ts'
import { onRemoval } from './removals.ts'

const MOUNT_TIMEOUT_MS = 15_000

const titles: Readonly<Record<ElementType, string>> = {
  card: 'Card',
  cardNumber: 'Card number',
  cardExpirationDate: 'Card expiration date',
  cardVerificationCode: 'Card verification code',
  text: 'Text',
  copyButton: 'Copy button',
}

/** The types that an element can mirror, for elements that cannot mirror their own type. */
const mirroredBy: Partial<Record<ElementType, readonly ElementType[]>> = {
  copyButton: ['text', 'cardNumber', 'cardExpirationDate', 'cardVerificationCode'],
}

type PromiseCallbacks = { readonly resolve: () => void; readonly reject: (error: Error) => void }

/** The page's side of an element: its frame and its state, but never its value. */
export class Core {
  readonly id = newId()
  readonly type: ElementType
  readonly listeners = new Listeners()
  readonly #backend: Backend
  readonly #initialOptions: unknown
  #options: ElementOptions = {}
  #state: 'created' | 'mounting' | 'mounted' | 'unmounted' | 'removed' = 'created'
  #mounting: Promise<void> = Promise.resolve()
  #pendingMount: PromiseCallbacks | null = null
  #frame: Frame | null = null
  #port: MessagePort | null = null
  #stopWatching = () => {}
  #isReady = false
  readonly #updates = new Map<number, PromiseCallbacks>()
  #lastUpdate = 0
  #metadata: ElementMetadata = {
    complete: false,
    valid: false,
    maskSatisfied: false,
    empty: true,
    errors: undefined,
  }
  #cardMetadata: CardMetadata = { cardBrand: 'unknown' }

  constructor(backend: Backend, type: ElementType, initialOptions: unknown) {
    this.#backend = backend
    this.type = type
    this.#initialOptions = initialOptions
  }

  get mounted(): boolean {
    return this.#state === 'mounted'
  }

  get metadata(): ElementMetadata {
    return { ...this.#metadata }
  }

  get cardMetadata(): CardMetadata | undefined {
    return this.type === 'card' || this.type === 'cardNumber' ? { ...this.#cardMetadata } : undefined
  }

  get targetId(): string | undefined {
    return this.#options.targetId
  }

  /** Throws if a call through this data frame may not read the element. */
  checkReadable(backend: Backend): void {
    // Check the document too, because the removal observer runs only after the page's current task.
    const isRemoved = this.mounted && !this.#frame?.iframe.isConnected
    if (isRemoved || this.#state === 'removed') throw new Error(REMOVED_FROM_DOM)
    if (!this.mounted) throw new Error(NOT_MOUNTED)
    this.#checkBackend(backend)
  }

  #checkBackend(backend: Backend): void {
    if (backend === this.#backend) return
    throw new Error('The element was created by an init call with another key.')
  }

  async mount(target: unknown): Promise<void> {
    if (this.#state === 'mounting' || this.mounted) throw new Error('Element is already mounted')
    if (this.#state !== 'created') throw new Error('An element that was unmounted cannot be mounted again')
    const container = findContainer(target)
    if (!container) throw new Error('No element in the page matches the mount target.')
    try {
      this.#options = { ...pickOptions(this.type, this.#initialOptions), ...this.#options }
    } catch (error) {
      throw createConfigurationError((error as Error).message)
    }
    this.#state = 'mounting'
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#mounting = promise
    // The caller of `mount` gets the rejection as well.
    promise.catch(() => {})
    const timer = after(
      () => this.#endElement('unmounted', new Error('Element mount timeout')),
      MOUNT_TIMEOUT_MS,
    )
    this.#pendingMount = {
      resolve() {
        cancel(timer)
        resolve()
      },
      reject(error) {
        cancel(timer)
        reject(error)
      },
    }
    this.#frame = this.#newFrame()
    container.append(this.#frame.iframe)
    if (container.isConnected) this.#watchRemoval()
    return promise
  }

  unmount(): void {
    if (this.#state !== 'removed') this.#endElement('unmounted', new Error(NOT_MOUNTED))
  }

  /** Merges new options into the current ones. If none differs, sends nothing to the frame, so no event follows. */
  async update(newOptions: unknown): Promise<void> {
    if (this.#state === 'created') {
      Object.assign(this.#options, pickOptions(this.type, newOptions, true))
      return
    }
    await this.#mounting
    if (!this.mounted) throw new Error(NOT_MOUNTED)
    const before = this.#options
    const changes = diffOptions(before, pickOptions(this.type, newOptions, true))
    if (Object.keys(changes).length === 0) return
    this.#options = { ...before, ...changes }
    this.#showTitle()
    const call = ++this.#lastUpdate
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#updates.set(call, {
      resolve,
      reject: (error) => {
        // Restore rejected options, so that they are sent again when the page sets them again.
        for (const name of Object.keys(changes) as (keyof ElementOptions)[]) {
          this.#options = { ...this.#options, [name]: before[name] }
        }
        reject(error)
      },
    })
    this.#post({ kind: 'update', call, options: changes })
    return promise
  }

  /** Sends a command to the frame. Throws "Element is not mounted" if there is none. */
  runCommand(command: Extract<ToElement, { kind: 'do' }>['command']): void {
    this.#checkMounted()
    // Browsers let a frame take the focus only if the embedding page focuses the frame first.
    if (command === 'focus') this.#frame?.iframe.focus()
    this.#post({ kind: 'do', command })
  }

  /** Shows the values behind references. Throws for anything that is not a reference. */
  setValue(value: unknown, validate: unknown): void {
    this.#checkMounted()
    this.#post({ kind: 'set', value: toReferences(this.type, value), validate: validate === true })
  }

  /** Mirrors the value of another element, which may be mounted later. */
  mirrorElement(source: Core | undefined): void {
    this.#checkMounted()
    const types = mirroredBy[this.type] ?? [this.type]
    if (!source || !types.includes(source.type))
      throw new Error('An element can only mirror an element of a matching type.')
    source.#checkBackend(this.#backend)
    this.#post({ kind: 'mirror', source: source.id })
  }

  #checkMounted(): void {
    if (!this.mounted) throw new Error(NOT_MOUNTED)
  }

  #newFrame(): Frame {
    const { type } = this
    const { instance, name, ready } = this.#backend
    const frame = new Frame({
      kind: 'frame',
      id: this.id,
      title: this.#options.title ?? titles[type],
      ready,
      hello: () => ({ instance, data: name, role: { type, options: this.#options } }),
      onPort: (port) => {
        this.#port = port
        port.onmessage = ({ data }: MessageEvent<FromElement>) => this.#onMessage(data)
        this.#watchRemoval()
      },
      onRejected: (error) => this.#showRejection(error),
    })
    Object.assign(frame.iframe.style, {
      display: 'block',
      width: '100%',
      height: '0',
      border: '0',
      background: 'transparent',
      // Without this, browsers give the frame a white background on pages with a dark colour scheme.
      colorScheme: 'normal',
    })
    return frame
  }

  #onMessage(message: FromElement): void {
    switch (message.kind) {
      case 'mounted':
        this.#handleMounted()
        break
      case 'refused':
        this.#endElement('unmounted', rebuildError(message.error))
        break
      case 'height':
        if (this.#frame) this.#frame.iframe.style.height = `${Number(message.px)}px`
        break
      case 'state':
        this.#metadata = message.metadata
        if (message.cardMetadata) this.#cardMetadata = message.cardMetadata
        break
      case 'updated': {
        const update = this.#updates.get(message.call)
        this.#updates.delete(message.call)
        if (message.error) update?.reject(rebuildError(message.error))
        else update?.resolve()
        break
      }
      case 'event':
        this.#emitEvent(message.event)
    }
  }

  #handleMounted(): void {
    if (this.#state === 'mounting') {
      this.#state = 'mounted'
      this.#pendingMount?.resolve()
      return
    }
    // The frame was moved in the document, so the browser has reloaded it, empty.
    this.listeners.emit({ type: 'change', ...this.#metadata, ...this.cardMetadata } as ElementEvent)
  }

  #emitEvent(event: ElementEvent): void {
    if (event.type === 'ready') {
      // A frame that is moved in the document loads again, but the page gets only one `ready` event.
      if (this.#isReady) return
      this.#isReady = true
    }
    this.listeners.emit(event)
  }

  #watchRemoval(): void {
    this.#stopWatching()
    const node = this.#frame?.iframe
    if (node)
      this.#stopWatching = onRemoval(node, () => this.#endElement('removed', new Error(REMOVED_FROM_DOM)))
  }

  #showTitle(): void {
    if (this.#frame) this.#frame.iframe.title = this.#options.title ?? titles[this.type]
  }

  #post(message: ToElement): void {
    this.#port?.postMessage(message)
  }

  /** Leaves the frame visible: its document tells the developer what to do. */
  #showRejection(error: Error): void {
    const { style } = this.#frame?.iframe ?? {}
    if (style) style.height = '8em'
    this.#state = 'unmounted'
    this.#pendingMount?.reject(error)
    console.error(error.message)
  }

  #endElement(state: 'unmounted' | 'removed', error: Error): void {
    this.#state = state
    this.#stopWatching()
    this.#frame?.destroy()
    this.#backend.releaseElement(this.id)
    this.#pendingMount?.reject(error)
    for (const { reject } of this.#updates.values()) reject(error)
    this.#updates.clear()
  }
}

/** Looks up ids directly, because an id may contain characters with a meaning in selectors. */
function findContainer(target: unknown): Element | null {
  if (target instanceof Element) return target
  if (typeof target !== 'string') return null
  const byId = target.startsWith('#') ? document.getElementById(target.slice(1)) : null
  if (byId) return byId
  try {
    return document.querySelector(target)
  } catch {
    // An invalid selector matches nothing.
    return null
  }
}
