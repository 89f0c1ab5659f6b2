import { isNetwork } from '../../../shared/destination-names.ts'
import { escapeHtml } from '../../../shared/escape-html.ts'
import { isOrigin } from '../../../shared/origins.ts'

export type FramePage = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly html: string
}

export type FramePageOptions = {
  /** The listener's origin, as the browser's request names it. */
  readonly own: string
  /** The page's origin, as sent by the page's script. */
  readonly page: string
  readonly allowed: ReadonlySet<string>
  readonly script: string
  /** Hosts beyond this machine that the data frame may call; null for the frame of an element, which makes no calls. */
  readonly destinations: readonly string[] | null
}

// With these headers, cross-origin isolated pages can embed a frame, and frames of one origin get a separate process
// if the browser supports it.
const always = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
}

/**
 * Returns the document of a frame. For a page that is not allowed, it has no script and says how to allow the page
 * (X-61).
 */
export function createFramePage(options: FramePageOptions): FramePage {
  const { own, page, allowed, script } = options
  if (!isOrigin(page) || page === own || !allowed.has(page)) return createRejectionPage(page)
  return {
    status: 200,
    headers: { ...always, 'Content-Security-Policy': createPolicy(options) },
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Coffer</title>
<body>
<script src="/elements/assets/${script}"></script>
`,
  }
}

/**
 * SECURITY: only the built script runs, and an element cannot send anything. The script sets styles only
 * through the CSSOM, so no inline styles are allowed. Only allowed pages may embed the frame, at any depth.
 */
function createPolicy({ own, allowed, destinations }: FramePageOptions): string {
  const calls = destinations === null ? [] : ["'self'", ...loopback, ...destinations.flatMap(toPolicySources)]
  return [
    "default-src 'none'",
    `script-src ${own}/elements/assets/`,
    'img-src data:',
    ...(calls.length > 0 ? [`connect-src ${calls.join(' ')}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${[...allowed].join(' ')}`,
  ].join('; ')
}

const loopback = ['http://127.0.0.1:*', 'https://127.0.0.1:*', 'http://localhost:*', 'https://localhost:*']

/** Returns a destination as CSP sources. Empty for networks and IPv6 addresses, which a policy cannot contain. */
function toPolicySources(destination: string): string[] {
  if (isNetwork(destination) && !/^[\d.]+$/.test(destination)) return []
  return [destination === '*' || /:\d+$/.test(destination) ? destination : `${destination}:*`]
}

/**
 * The colours are set with attributes, because the policy allows no styles. They must be set, because the page around
 * the frame may be dark.
 */
function createRejectionPage(page: string): FramePage {
  const validOrigin = isOrigin(page) ? page : 'http://localhost:3000'
  const text = isOrigin(page)
    ? `Pages of ${page} may not use Elements.`
    : 'Only pages from a web server may use Elements.'
  return {
    status: 403,
    headers: {
      ...always,
      'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'",
    },
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Coffer</title>
<body bgcolor="#ffffff" text="#222222">
<p><font face="system-ui, sans-serif" size="2">${escapeHtml(text)} Allow them with <code>coffer serve --cors-origin ${escapeHtml(validOrigin)}</code>, or in the window: Settings, Allowed web origins.</font></p>
`,
  }
}
