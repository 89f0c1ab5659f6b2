import { isNetwork } from '../../../shared/destination-names.ts'
import { isOrigin } from '../../../shared/origins.ts'

export type FramePage = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly html: string
}

export type FrameOptions = {
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
export function framePage(options: FrameOptions): FramePage {
  const { own, page, allowed, script } = options
  if (!isOrigin(page) || page === own || !allowed.has(page)) return refusal(page)
  return {
    status: 200,
    headers: { ...always, 'Content-Security-Policy': contentSecurityPolicy(options) },
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
function contentSecurityPolicy({ own, allowed, destinations }: FrameOptions): string {
  const calls = destinations === null ? [] : ["'self'", ...loopback, ...destinations.flatMap(sourceOf)]
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
function sourceOf(destination: string): string[] {
  if (isNetwork(destination) && !/^[\d.]+$/.test(destination)) return []
  return [destination === '*' || /:\d+$/.test(destination) ? destination : `${destination}:*`]
}

/** The looks are attributes, because its policy allows no style, and the page around it may be dark. */
function refusal(page: string): FramePage {
  const named = isOrigin(page) ? page : 'http://localhost:3000'
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
<p><font face="system-ui, sans-serif" size="2">${escaped(text)} Allow them when you start it: <code>coffer serve --cors-origin ${escaped(named)}</code>, or in
the window: Settings, Allowed web origins.</font></p>
`,
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
