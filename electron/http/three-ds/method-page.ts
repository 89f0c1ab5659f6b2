import type { Guard } from '../guard.ts'
import { createPage, escapeHtml, type HtmlPage } from './page.ts'

/** What stands in for the issuer's look at the browser: it reads nothing, and goes on to the notification at once. */
export function methodPage(guard: Guard, id: string, isPopup: boolean): HtmlPage {
  const action = `/3ds/sessions/${encodeURIComponent(id)}/method-notification${isPopup ? '?mode=redirect' : ''}`
  return createPage(guard, {
    title: '3D Secure: method',
    body: `<main><form method="post" action="${escapeHtml(action)}"><button class="first">Continue</button></form></main>`,
    script: 'document.forms[0].submit()',
  })
}

/** Tells the page above that the method is completed; a popup closes instead, which its opener waits for. */
export function methodDonePage(guard: Guard, id: string, isPopup: boolean): HtmlPage {
  return createPage(guard, {
    title: '3D Secure: method',
    body: '<main><p>Done. You can close this window.</p></main>',
    data: { id, popup: isPopup ? 'yes' : '' },
    script: `
const { id, popup } = document.body.dataset
if (popup) window.close()
else if (window.parent !== window) window.parent.postMessage({ type: 'method', isCompleted: true, id }, '*')
`,
  })
}
