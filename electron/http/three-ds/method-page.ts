import { createPage, escapeHtml, type PageOrigins } from '../cardholder-pages/page.ts'
import type { HtmlPage } from '../html-page.ts'

/**
 * Creates the page that replaces the issuer's check of the browser. It collects nothing, and submits its form to the
 * notification route immediately.
 */
export function createMethodPage(origins: PageOrigins, id: string, isPopup: boolean): HtmlPage {
  const action = `/3ds/sessions/${encodeURIComponent(id)}/method-notification${isPopup ? '?mode=redirect' : ''}`
  return createPage(origins, {
    title: '3D Secure: method',
    body: `<main><form method="post" action="${escapeHtml(action)}"><button class="first">Continue</button></form></main>`,
    script: 'document.forms[0].submit()',
  })
}

/**
 * Notifies the embedding page that the method is complete. A popup closes itself instead, and its opener detects that.
 */
export function createMethodDonePage(origins: PageOrigins, id: string, isPopup: boolean): HtmlPage {
  return createPage(origins, {
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
