/** The listener's origin, which it writes into the file while serving it. */
declare const COFFER_ORIGIN: string

console.info(COFFER_ORIGIN)
