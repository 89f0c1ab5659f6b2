import type { Guard } from '../guard.ts'
import { escaped, type Page, pageOf } from './page.ts'

/** What stands in for the issuer's look at the browser: it reads nothing, and goes on to the notification at once. */
export function methodPage(guard: Guard, id: string, isPopup: boolean): Page {
  const action = `/3ds/sessions/${encodeURIComponent(id)}/method-notification${isPopup ? '?mode=redirect' : ''}`
  return pageOf(guard, {
    title: '3D Secure: method',
    body: `<main><form method="post" action="${escaped(action)}"><button class="first">Continue</button></form></main>`,
    script: 'document.forms[0].submit()',
  })
}

/** Tells the page above that the method is completed; a popup closes instead, which its opener waits for. */
export function methodDonePage(guard: Guard, id: string, isPopup: boolean): Page {
  return pageOf(guard, {
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
