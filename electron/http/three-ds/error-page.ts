import type { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'
import type { HtmlPage } from '../html-page.ts'
import { createPage, escapeHtml } from './page.ts'

/** Creates a page that shows an error message and posts it to the embedding page. */
export function createErrorPage(guard: Guard, { message }: CofferError): HtmlPage {
  return createPage(guard, {
    title: '3D Secure',
    body: `<main><h1>Something went wrong</h1><p>${escapeHtml(message)}</p></main>`,
    data: { details: message },
    script: `
const { details } = document.body.dataset
if (window.parent !== window) window.parent.postMessage({ type: 'error', isCompleted: false, id: '', details }, '*')
`,
  })
}
