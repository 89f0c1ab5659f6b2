import { isNetwork } from '../../../shared/destination-names.ts'
import { isOrigin } from '../../../shared/origins.ts'

export type FramePage = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly html: string
}

export type FramePageOptions = {
  /** The listener's own origin, as the browser asked for it. */
  readonly own: string
  /** The page's origin, as the page's script stated it. */
  readonly page: string
  readonly allowed: ReadonlySet<string>
  /** The name of the built script. */
  readonly script: string
  /** Hosts beyond this machine that the data frame may call; null for the frame of an element, which calls nothing. */
  readonly destinations: readonly string[] | null
}

// So that pages that are isolated across origins can embed a frame, and frames of one origin share a process of their
// own where the browser can give them one.
const always = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
}

/** The document of a frame; for a page that is not allowed, one that has no script and says how to allow it. */
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
 * SECURITY: nothing runs but the built script, and an element can send nothing anywhere. Styles are set by
 * that script through the CSSOM alone. Only allowed pages may be above the frame, at any depth.
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

/** A destination as a source of a policy. A policy cannot name networks, nor addresses of IPv6. */
function toPolicySources(destination: string): string[] {
  if (isNetwork(destination) && !/^[\d.]+$/.test(destination)) return []
  return [destination === '*' || /:\d+$/.test(destination) ? destination : `${destination}:*`]
}

/** The looks are attributes, because its policy allows no style, and the page around it may be dark. */
function createRejectionPage(page: string): FramePage {
  const validOrigin = isOrigin(page) ? page : 'http://localhost:3000'
  const text = isOrigin(page)
    ? `Coffer does not make elements for pages of ${page}.`
    : 'Coffer makes elements only for pages that a server sends.'
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
<p><font face="system-ui, sans-serif" size="2">${escapeHtml(text)} Allow them when you start it: <code>coffer serve --cors-origin ${escapeHtml(validOrigin)}</code>, or in
the window: Settings, Allowed web origins.</font></p>
`,
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
