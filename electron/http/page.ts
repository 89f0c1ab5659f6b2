import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

export type PageResponse = {
  readonly status: 200 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

// SECURITY: these headers are on every response, including errors. They forbid content sniffing, framing, referrers,
// and reads by other origins.
const always = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * The window's content security policy. SECURITY: scripts and styles come only from the build. The nonce also allows
 * the style tags that the component library creates.
 */
function createContentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Returns a file of the built window, with the headers to send, for a path such as `/` or `/assets/index-1a2b3c4d.js`.
 * Returns a 404 if there is no such file. Never throws.
 */
export async function loadPage(folder: string, pathname: string): Promise<PageResponse> {
  const file = resolveFile(folder, pathname)
  const body = file && (await fs.readFile(file).catch(() => undefined))
  if (!file || !body) return createMissingPage(pathname)
  const type = types[path.extname(file)] ?? 'application/octet-stream'
  if (path.basename(file) === 'index.html') return createDocumentResponse(body.toString())
  const hashed = /^\/assets\/.*-[\w-]{8,}\.\w+$/.test(pathname)
  return {
    status: 200,
    headers: {
      ...always,
      'Content-Type': type,
      'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-store',
    },
    body,
  }
}

/** SECURITY: decodes the path only once, and rejects a path that leaves the folder or names a hidden file. */
function resolveFile(folder: string, pathname: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return undefined
  }
  if (!/^(\/[\w-][\w.-]*)*\/?$/.test(decoded)) return undefined
  return path.join(folder, decoded.endsWith('/') || decoded === '' ? `${decoded}index.html` : decoded)
}

function createDocumentResponse(html: string): PageResponse {
  const nonce = randomBytes(16).toString('base64')
  return {
    status: 200,
    headers: {
      ...always,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': createContentSecurityPolicy(nonce),
    },
    body: Buffer.from(html.replaceAll('__NONCE__', nonce)),
  }
}

function createMissingPage(pathname: string): PageResponse {
  const text =
    pathname === '/' ? 'The window has not been built yet. Run: npm run build' : 'This file does not exist.'
  return {
    status: 404,
    headers: {
      ...always,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    },
    body: Buffer.from(`${text}\n`),
  }
}
