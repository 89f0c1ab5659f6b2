/** The routes of the 3D Secure pages: they need no key, and browsers open them from other pages. */
export const paths = {
  methodRelay: '/3ds/pages/method.html',
  challengeRelay: '/3ds/pages/challenge.html',
  method: '/3ds/acs/method',
  methodNotification: '/3ds/sessions/:id/method-notification',
  challenge: '/3ds/acs/challenge/:id',
  answer: '/3ds/acs/challenge/:id/answer',
  redirect: '/3ds/redirect/:id',
} as const

/** The page of a network, which agentic payments redirect a cardholder to. */
export const agenticPage = '/agentic/pages/:key'

const all: ReadonlySet<string | undefined> = new Set([...Object.values(paths), agenticPage])

export function isPageOfThreeDs(url: string | undefined): boolean {
  return all.has(url)
}
