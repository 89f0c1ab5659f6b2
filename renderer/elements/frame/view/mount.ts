import type { FromElement } from '../../protocol.ts'

/** Displays an element, and tells the page that it is there and how high it is from then on. */
export function mountElement(container: HTMLElement, post: (message: FromElement) => void): void {
  document.body.append(container)
  const postHeight = () => post({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) })
  new ResizeObserver(postHeight).observe(container)
  postHeight()
  post({ kind: 'mounted' })
}
