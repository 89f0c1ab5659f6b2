import type { ThreeDsPage } from '../../../shared/schemas/three-ds.ts'
import { createPage, escapeHtml, type PageOrigins } from '../cardholder-pages/page.ts'
import type { HtmlPage } from '../html-page.ts'

/** The first page of a redirect: submits the browser details that the issuer needs. */
export function createRedirectPage(origins: PageOrigins, id: string): HtmlPage {
  return createPage(origins, {
    title: '3D Secure',
    body: `<main>
<h1>One moment</h1>
<p>We are asking your bank about this payment.</p>
<form method="post" action="/3ds/redirect/${escapeHtml(encodeURIComponent(id))}"><button class="first">Continue</button></form>
</main>`,
    script: `
const form = document.forms[0]
const seen = {
  browser_javascript_enabled: 'true',
  browser_java_enabled: 'false',
  browser_language: navigator.language,
  browser_color_depth: String(screen.colorDepth),
  browser_screen_height: String(screen.height),
  browser_screen_width: String(screen.width),
  browser_tz: String(new Date().getTimezoneOffset()),
  browser_user_agent: navigator.userAgent,
}
for (const [name, value] of Object.entries(seen)) {
  const input = document.createElement('input')
  input.type = 'hidden'
  input.name = name
  input.value = value
  form.append(input)
}
form.submit()
`,
  })
}

/**
 * The last page of a redirect: returns to the shop. SECURITY: the URL is http: or https:, and the holder of a key has
 * set it.
 */
export function createReturnPage(origins: PageOrigins, { status }: ThreeDsPage, address: string): HtmlPage {
  const isGood = status === 'successful' || status === 'attempted'
  return createPage(origins, {
    title: 'Back to the shop',
    body: `<main>
<h1>${isGood ? 'The payment is confirmed.' : 'The payment is not confirmed.'}</h1>
<p><a class="button first" href="${escapeHtml(address)}" rel="noreferrer">Back to the shop</a></p>
</main>`,
    script: "location.replace(document.querySelector('a').href)",
  })
}
