import { EventEmitter } from 'node:events'

type Handler = (request: Request) => Promise<Response>
type BeforeRequest = (details: { url: string }, answer: (response: { cancel?: boolean }) => void) => void
type PermissionRequest = (
  contents: null,
  permission: string,
  answer: (granted: boolean) => void,
  details: { requestingUrl: string },
) => void

/** A session: who answers a scheme, what is let through, what is permitted. */
export class Session extends EventEmitter {
  readonly partition: string
  readonly handlers = new Map<string, Handler>()
  readonly protocol = {
    handle: (scheme: string, handler: Handler) => void this.handlers.set(scheme, handler),
  }
  readonly webRequest = {
    onBeforeRequest: (listener: BeforeRequest) => {
      this.#before = listener
    },
  }
  spellChecker = true
  #before: BeforeRequest = (_details, answer) => answer({})
  #request: PermissionRequest = (_contents, _permission, answer) => answer(true)
  #check: (contents: null, permission: string, origin: string) => boolean = () => true
  #device: (details: unknown) => boolean = () => true

  constructor(partition: string) {
    super()
    this.partition = partition
  }

  setPermissionRequestHandler(handler: PermissionRequest): void {
    this.#request = handler
  }
  setPermissionCheckHandler(handler: (contents: null, permission: string, origin: string) => boolean): void {
    this.#check = handler
  }
  setDevicePermissionHandler(handler: (details: unknown) => boolean): void {
    this.#device = handler
  }
  setDisplayMediaRequestHandler(): void {}
  setSpellCheckerEnabled(enabled: boolean): void {
    this.spellChecker = enabled
  }

  isCancelled(url: string): boolean {
    let cancelled = false
    this.#before({ url }, ({ cancel = false }) => {
      cancelled = cancel
    })
    return cancelled
  }

  /** Whether a page of `url` gets a permission, by request, by check and as a device. */
  grants(permission: string, url: string): boolean[] {
    let requested = false
    this.#request(
      null,
      permission,
      (granted) => {
        requested = granted
      },
      { requestingUrl: url },
    )
    return [requested, this.#check(null, permission, url), this.#device({ deviceType: permission })]
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
