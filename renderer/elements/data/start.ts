import type { FromData, StartedData } from '../protocol.ts'

/** Becomes the data frame, which makes the page's calls, and answers its Hello. */
export function startData({ port }: StartedData): void {
  const tell = (message: FromData) => port.postMessage(message)
  port.start()
  tell({ kind: 'mounted' })
}
