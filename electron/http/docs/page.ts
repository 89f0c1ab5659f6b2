import { randomBytes } from 'node:crypto'
import type { HtmlPage } from '../html-page.ts'
import { openApi } from '../openapi.ts'
import { toExampleParts } from './example-parts.ts'
import {
  type DocumentedField,
  listReferenceOperations,
  listShapes,
  type ReferenceOperation,
} from './reference.ts'
import { style } from './style.ts'

/** Returns the reference of every operation as a single self-contained page. `url` is the origin of the listener. */
export function createDocsPage(url: string): HtmlPage {
  const nonce = randomBytes(16).toString('base64')
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // SECURITY: only the script and style of this response apply, nothing else loads, and no page can frame it.
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
    },
    html: renderPage(url, nonce),
  }
}

function renderPage(url: string, nonce: string): string {
  const document = openApi(url)
  const entries = listReferenceOperations(document)
  const groups = [...new Set(entries.map(({ group }) => group))]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coffer reference</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<div class="frame">
<nav aria-label="Operations">
<h1>Coffer reference</h1>
<input type="search" placeholder="Filter  /" aria-label="Filter operations">
${groups.map((group) => renderNavGroup(group, entries)).join('\n')}
<section><h2>Shapes</h2>${listShapes(document)
    .map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`)
    .join('')}</section>
</nav>
<main>
<p>Every operation of this vault at <code>${escapeHtml(url)}</code>, taken from its
<a href="/openapi.json">OpenAPI document</a>. Send an application key in the header <code>SVC-API-KEY</code>.
Errors are problem documents: <code>{ title, status, code, detail, errors }</code>. The <a href="#Problem">code</a>
is for programs and never changes. Titles and details may be reworded.</p>
${entries.map((entry) => renderOperation(entry, url)).join('\n')}
${listShapes(document)
  .map(
    ({ name, members }) =>
      `<article id="${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${renderFields('Member', members)}</article>`,
  )
  .join('\n')}
</main>
</div>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
}

function renderNavGroup(group: string, entries: readonly ReferenceOperation[]): string {
  const links = entries
    .filter((entry) => entry.group === group)
    .map(
      ({ id, method, path, summary }) =>
        `<a href="#${escapeHtml(id)}" data-text="${escapeHtml(`${method} ${path} ${summary} ${id}`.toLowerCase())}" title="${escapeHtml(summary)}"><span class="method ${method}">${method}</span><span class="path">${escapeHtml(path)}</span></a>`,
    )
  const title = group.replace(/([A-Z])/g, ' $1')
  return `<section><h2>${escapeHtml(title)}</h2>${links.join('')}</section>`
}

function renderOperation(entry: ReferenceOperation, url: string): string {
  const { id, method, path, summary, description, deprecated, parameters, body, status, answer } = entry
  return `<article id="${escapeHtml(id)}">
<h3>${escapeHtml(summary)}${deprecated ? '<span class="chip">deprecated</span>' : ''}</h3>
<div class="call"><span class="method ${method}">${method}</span><span class="path">${escapeHtml(path)}</span></div>
<p class="note">${escapeHtml(description)} Responds ${escapeHtml(status)} with ${linkShapes(answer)}.</p>
${renderFields('Parameter', parameters)}
${body ? renderFields('Body', body.members) : ''}
<div class="code"><button type="button" hidden>Copy</button><pre><code>${escapeHtml(formatCurl(entry, url, '$KEY'))}</code></pre></div>
</article>`
}

function renderFields(title: string, members: readonly DocumentedField[]): string {
  if (members.length === 0) return ''
  const rows = members.map(
    ({ name, type, required, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required ? ' <span class="must">required</span>' : ''}</td><td>${linkShapes(type)}${description === '' ? '' : `<br><span class="note">${escapeHtml(description)}</span>`}</td></tr>`,
  )
  return `<table><thead><tr><th>${title}</th><th>Type</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function linkShapes(type: string): string {
  return escapeHtml(type).replace(/\b[A-Z][a-z]\w+\b/g, (name) => `<a href="#${name}">${name}</a>`)
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Returns a shell command that calls an operation. `key` is a placeholder for the caller's key. */
function formatCurl(
  { method, path, parameters, body }: ReferenceOperation,
  url: string,
  key: string,
): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}${path}'`,
    `  -H "SVC-API-KEY: ${key}"`,
  ]
  for (const { name, place, example } of parameters) {
    if (place === 'header' && example !== undefined) lines.push(`  -H '${name}: ${example}'`)
  }
  if (body?.type === 'multipart/form-data') {
    for (const { name, type, text } of toExampleParts(body.example)) {
      lines.push(`  -F '${name}=${text};type=${type}'`)
    }
  } else if (body) {
    lines.push(`  -H 'Content-Type: ${body.type}'`)
    // A quote inside a quoted shell word is written as: end quote, escaped quote, start quote.
    lines.push(`  -d '${JSON.stringify(body.example ?? {}).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n')
}

/** The reference page's few lines of script: filter and copy. The page works without them. */
const script = `
const filter = document.querySelector('input')
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/)
  for (const link of document.querySelectorAll('nav a[data-text]')) {
    link.hidden = !words.every((word) => link.dataset.text.includes(word))
    document.getElementById(link.hash.slice(1)).hidden = link.hidden
  }
  for (const group of document.querySelectorAll('nav section')) group.hidden = !group.querySelector('a:not([hidden])')
})
addEventListener('keydown', (event) => {
  if (event.key === '/' && event.target !== filter) { event.preventDefault(); filter.focus() }
})
for (const button of document.querySelectorAll('.code button')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
}
`
