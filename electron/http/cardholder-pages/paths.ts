/** The routes of the 3D Secure pages. */
export const threeDsPaths = {
  methodRelay: '/3ds/pages/method.html',
  challengeRelay: '/3ds/pages/challenge.html',
  method: '/3ds/acs/method',
  methodNotification: '/3ds/sessions/:id/method-notification',
  challenge: '/3ds/acs/challenge/:id',
  answer: '/3ds/acs/challenge/:id/answer',
  redirect: '/3ds/redirect/:id',
} as const

/** The route of the page that confirms an enrollment in place of a card network's. */
export const confirmationPath = '/agentic/pages/:key'

const paths: ReadonlySet<string | undefined> = new Set([...Object.values(threeDsPaths), confirmationPath])

/** Whether a route is that of a page for cardholders: it needs no key, and browsers open it from other pages. */
export function isCardholderPage(url: string | undefined): boolean {
  return paths.has(url)
}
