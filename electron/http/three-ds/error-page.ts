import type { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'
import { createPage, escapeHtml, type HtmlPage } from './page.ts'

/** What went wrong, in words, also for the page that waits for an answer. */
export function errorPage(guard: Guard, { message }: CofferError): HtmlPage {
  return createPage(guard, {
    title: '3D Secure',
    body: `<main><h1>This did not work</h1><p>${escapeHtml(message)}</p></main>`,
    data: { details: message },
    script: `
const { details } = document.body.dataset
if (window.parent !== window) window.parent.postMessage({ type: 'error', isCompleted: false, id: '', details }, '*')
`,
  })
}
