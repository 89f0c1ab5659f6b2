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
  /** Hosts beyond this machine that the data frame may call; null for the frame of an element, which makes no calls. */
  readonly destinations: readonly string[] | null
}

// Cross-origin isolated pages can embed a frame, and frames of one origin get a separate process if the browser
// supports it.
const always = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
}

/**
 * The document of a frame; for a page that is not allowed, a document without script that says how to allow it.
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
 * SECURITY: only the built script runs, and an element cannot send anything. That script sets styles only
 * through the CSSOM. Only allowed pages may embed the frame, at any depth.
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

/** A destination as CSP sources. A policy cannot contain networks or IPv6 addresses. */
function toPolicySources(destination: string): string[] {
  if (isNetwork(destination) && !/^[\d.]+$/.test(destination)) return []
  return [destination === '*' || /:\d+$/.test(destination) ? destination : `${destination}:*`]
}

/** Attributes set the colours, because its policy allows no styles, and the page around it may be dark. */
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
