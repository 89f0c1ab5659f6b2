// The page's globals that the script uses, captured when it is evaluated: polyfills and fake clocks that the
// page installs later do not affect it.

/** The listener's origin, inserted when the file is served. */
declare const COFFER_ORIGIN: string

export const coffer: string = COFFER_ORIGIN
/** `self.origin` is also right in documents such as `about:blank`, whose URL has no origin. */
export const pageOrigin: string = self.origin

export const after: (run: () => void, ms: number) => number = setTimeout.bind(window)
export const cancel: (timer: number | undefined) => void = clearTimeout.bind(window)
export const Channel = MessageChannel
export const Observer = MutationObserver
const uuid: (() => string) | undefined = crypto.randomUUID?.bind(crypto)
const fill: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = crypto.getRandomValues.bind(crypto)

/** A random id that cannot be guessed. */
export function newId(): string {
  // Over plain http, except from this machine, browsers do not offer randomUUID.
  return uuid
    ? uuid()
    : [...fill(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
