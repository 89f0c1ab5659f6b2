// What the script uses of the page's globals, taken when it is evaluated: polyfills and fake clocks of the page that
// come later do not change what it does.

/** The listener's origin, which it writes into the file while serving it. */
declare const COFFER_ORIGIN: string

export const coffer: string = COFFER_ORIGIN
/** Also right in a document that has no address of its own. */
export const pageOrigin: string = self.origin

export const after: (run: () => void, ms: number) => number = setTimeout.bind(window)
export const cancel: (timer: number | undefined) => void = clearTimeout.bind(window)
export const Channel = MessageChannel
export const Observer = MutationObserver
const uuid: (() => string) | undefined = crypto.randomUUID?.bind(crypto)
const fill: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = crypto.getRandomValues.bind(crypto)

/** An id that nobody can guess. */
export function newId(): string {
  // A page of http beyond this machine has no randomUUID.
  return uuid
    ? uuid()
    : [...fill(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
