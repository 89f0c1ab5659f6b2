import type { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'
import { escaped, type Page, pageOf } from './page.ts'

/** What went wrong, in words, also for the page that waits for an answer. */
export function errorPage(guard: Guard, { message }: CofferError): Page {
  return pageOf(guard, {
    title: '3D Secure',
    body: `<main><h1>This did not work</h1><p>${escaped(message)}</p></main>`,
    data: { details: message },
    script: `
const { details } = document.body.dataset
if (window.parent !== window) window.parent.postMessage({ type: 'error', isCompleted: false, id: '', details }, '*')
`,
  })
}
