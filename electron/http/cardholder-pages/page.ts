import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { CofferError } from '../../../shared/errors.ts'
import type { HtmlPage } from '../html-page.ts'

const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --dim: #5b6573; --line: #e3e6ea; --soft: #f3f5f7; --accent: #0b7285;
  --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #dde1e6; --dim: #9aa4b2; --line: #2c3138; --soft: #1f2329;
  --accent: #3bc9db; --on-accent: #0b1416 } }
* { box-sizing: border-box }
html, body { height: 100% }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 30rem; margin: 0 auto; padding: 24px 20px }
h1 { margin: 0 0 4px; font-size: 19px }
p { margin: 0 0 14px }
.note { color: var(--dim); font-size: 13.5px }
.stand-in { margin-top: 20px; padding-top: 12px; border-top: 1px solid var(--line) }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 14px 0; padding: 12px 14px; background: var(--soft); border-radius: 8px }
dt { color: var(--dim) }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
form { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 }
button, a.button { padding: 9px 16px; color: var(--text); background: var(--back); border: 1px solid var(--dim); border-radius: 8px; font: inherit; text-decoration: none; cursor: pointer }
button.first, a.first { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
body.relay, body.relay iframe { width: 100%; height: 100%; overflow: hidden; border: 0; display: block }
`

export type PageOrigins = {
  /** The origins of the server that serves the page. */
  readonly own: readonly string[]
  /** The origins of web pages that may call the listener. */
  readonly allowed: Iterable<string>
}

type PageContent = {
  readonly title: string
  /** HTML. The caller must already have escaped every value in it. */
  readonly body: string
  /** Data attributes that the script reads; the script itself is always the same. */
  readonly data?: Readonly<Record<string, string>>
  readonly script?: string
}

/**
 * Creates a page for a cardholder. SECURITY (X-59): only the script and style of this response run, the page can frame only
 * this listener and send forms only to it, and only pages that may call the listener can frame this page.
 */
export function createPage(origins: PageOrigins, { title, body, data = {}, script }: PageContent): HtmlPage {
  const nonce = randomBytes(16).toString('base64')
  const own = filterNamable(origins.own).join(' ')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    script === undefined ? "script-src 'none'" : `script-src 'nonce-${nonce}'`,
    `frame-src 'self' ${own}`,
    `form-action 'self' ${own}`,
    "base-uri 'none'",
    `frame-ancestors 'self' ${[own, ...filterNamable(origins.allowed)].join(' ')}`,
  ]
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      // Without a referrer, forms would have the origin `null`. SECURITY: the referrer contains no path, because paths
      // hold ids.
      'Referrer-Policy': 'strict-origin',
    },
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body${attributes.join('')}>
${body}
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>
`,
  }
}

/**
 * SECURITY: an origin with a space or a semicolon could add a directive. Origins with an IPv6 address are left out,
 * because a policy cannot contain brackets.
 */
function filterNamable(origins: Iterable<string>): string[] {
  return [...origins].filter((origin) => /^[a-z][a-z\d+.-]*:\/\/[\w.-]+(:\d+)?$/i.test(origin))
}

/**
 * Throws `forbidden` unless a form comes from a page of this listener, or from a program other than a browser. SECURITY:
 * no other page may answer for the cardholder.
 */
export function assertOwnForm({ origin, ...headers }: IncomingHttpHeaders, { own }: PageOrigins): void {
  const isOwn = origin === undefined ? headers['sec-fetch-site'] === undefined : own.includes(origin)
  if (!isOwn) throw new CofferError('forbidden', 'Only Coffer’s own page may send this form.')
}

/** Parses the fields of a form. Throws `unsupported_media_type` for another content type. */
export function parseForm(content_type: string | undefined, body: unknown): URLSearchParams {
  const [type = ''] = (content_type ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new CofferError('unsupported_media_type', 'Send a form: application/x-www-form-urlencoded.')
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('latin1') : '')
}

/** Escapes text for HTML, including attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
