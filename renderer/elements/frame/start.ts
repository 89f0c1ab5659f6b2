import type { FromElement, StartedElement } from '../protocol.ts'

/** Becomes the element that the page asked for, and answers its Hello. */
export function startElement({ type, options, port }: StartedElement): void {
  const input = document.createElement(type === 'copyButton' ? 'button' : 'input')
  if (options['aria-label']) input.setAttribute('aria-label', options['aria-label'])
  document.body.append(input)
  const tell = (message: FromElement) => port.postMessage(message)
  port.start()
  tell({ kind: 'height', px: document.body.scrollHeight })
  tell({ kind: 'mounted' })
  tell({ kind: 'event', event: { type: 'ready' } })
}
