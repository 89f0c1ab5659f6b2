import { watchParent } from './parent-watch.ts'

/** Waits for Ctrl-C, SIGTERM, or the end of the program that started this one. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    watchParent(resolve)
  })
}
