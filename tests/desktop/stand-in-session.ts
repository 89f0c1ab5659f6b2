import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import { Preventable } from './stand-in-app.ts'

type ProtocolHandler = (request: Request) => Promise<Response>
type PermissionHandlers = {
  request: NonNullable<Parameters<Electron.Session['setPermissionRequestHandler']>[0]>
  check: NonNullable<Parameters<Electron.Session['setPermissionCheckHandler']>[0]>
  device: NonNullable<Parameters<Electron.Session['setDevicePermissionHandler']>[0]>
  display: NonNullable<Parameters<Electron.Session['setDisplayMediaRequestHandler']>[0]>
}
type BeforeRequest = (details: { url: string }, answer: (response: Electron.CallbackResponse) => void) => void

/** An Electron session, with its protocol handlers, request filter and permission handlers. */
export class Session
  extends EventEmitter
  implements
    Pick<
      Electron.Session,
      | 'setPermissionRequestHandler'
      | 'setPermissionCheckHandler'
      | 'setDevicePermissionHandler'
      | 'setDisplayMediaRequestHandler'
      | 'setSpellCheckerEnabled'
      | 'setProxy'
    >
{
  readonly partition: string
  readonly handlers = new Map<string, ProtocolHandler>()
  readonly protocol = {
    handle: (scheme: string, handler: ProtocolHandler) => void this.handlers.set(scheme, handler),
  }
  readonly webRequest = {
    onBeforeRequest: (listener: BeforeRequest) => {
      this.#filterRequest = listener
    },
  }
  spellChecker = true
  proxy: Electron.ProxyConfig = {}
  #filterRequest: BeforeRequest = (_details, answer) => answer({})
  #handleRequest: PermissionHandlers['request'] = (_contents, _permission, answer) => answer(true)
  #handleCheck: PermissionHandlers['check'] = () => true
  #handleDevice: PermissionHandlers['device'] = () => true
  #handleDisplayMedia: PermissionHandlers['display'] = () => {}

  constructor(partition: string) {
    super()
    this.partition = partition
  }

  setPermissionRequestHandler(handler: PermissionHandlers['request']): void {
    this.#handleRequest = handler
  }
  setPermissionCheckHandler(handler: PermissionHandlers['check']): void {
    this.#handleCheck = handler
  }
  setDevicePermissionHandler(handler: PermissionHandlers['device']): void {
    this.#handleDevice = handler
  }
  setDisplayMediaRequestHandler(handler: PermissionHandlers['display']): void {
    this.#handleDisplayMedia = handler
  }
  async setProxy(config: Electron.ProxyConfig): Promise<void> {
    this.proxy = config
  }
  setSpellCheckerEnabled(enabled: boolean): void {
    this.spellChecker = enabled
  }

  isCancelled(url: string): boolean {
    let cancelled = false
    this.#filterRequest({ url }, ({ cancel = false }) => {
      cancelled = cancel
    })
    return cancelled
  }

  /** Returns whether a page may record the screen. */
  canRecordScreen(): boolean {
    let recorded = false
    Reflect.apply(this.#handleDisplayMedia, null, [
      { videoRequested: true },
      (streams: Electron.Streams | null) => {
        if (streams && !streams.video) throw new TypeError('Video was requested, but none was provided')
        recorded = streams !== null
      },
    ])
    return recorded
  }

  /** Returns whether a page may download from this URL. */
  canDownload(url: string): boolean {
    const event = new Preventable()
    this.emit('will-download', event, { getURL: () => url })
    return !event.defaultPrevented
  }

  /**
   * Returns whether a page of `url` gets a permission from the request handler, the check handler and the device
   * handler.
   */
  listGrants(permission: string, url: string): boolean[] {
    let requested = false
    const respond = (granted: boolean) => {
      requested = granted
    }
    const details = { requestingUrl: url, isMainFrame: true }
    Reflect.apply(this.#handleRequest, null, [null, permission, respond, details])
    return [
      requested,
      Reflect.apply(this.#handleCheck, null, [null, permission, url, details]),
      Reflect.apply(this.#handleDevice, null, [{ deviceType: permission }]),
    ]
  }
}

const sessions = new Map<string, Session>()

/** Electron's `session`. */
export const session = {
  fromPartition(partition: string): Session {
    const known = sessions.get(partition) ?? new Session(partition)
    sessions.set(partition, known)
    return known
  },
}
