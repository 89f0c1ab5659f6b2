import { randomBytes } from 'node:crypto'
import { openApi } from '../openapi.ts'
import { curlOf } from './curl.ts'
import { type Entry, entriesOf, type Member, shapesOf } from './reference.ts'
import { script } from './script.ts'
import { style } from './style.ts'

export type Page = { readonly headers: Readonly<Record<string, string>>; readonly html: string }

/** The reference of every operation as one self-contained page; `url` is the listener's own. */
export function docsPage(url: string): Page {
  const nonce = randomBytes(16).toString('base64')
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // SECURITY: nothing runs or loads but what this answer contains, and no page can frame it.
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
    },
    html: html(url, nonce),
  }
}

function html(url: string, nonce: string): string {
  const document = openApi(url)
  const entries = entriesOf(document)
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
${groups.map((group) => navGroup(group, entries)).join('\n')}
<section><h2>Shapes</h2>${shapesOf(document)
    .map(({ name }) => `<a href="#${escaped(name)}">${escaped(name)}</a>`)
    .join('')}</section>
</nav>
<main>
<p>Every operation of this vault at <code>${escaped(url)}</code>, taken from its
<a href="/openapi.json">OpenAPI document</a>. Send an application key in the header <code>SVC-API-KEY</code>.
Errors are problem documents: <code>{ title, status, code, detail, errors }</code>. The <a href="#Problem">code</a>
is for programs and never changes; the wording may.</p>
${entries.map((entry) => article(entry, url)).join('\n')}
${shapesOf(document)
  .map(
    ({ name, members }) =>
      `<article id="${escaped(name)}"><h3>${escaped(name)}</h3>${table('Member', members)}</article>`,
  )
  .join('\n')}
</main>
</div>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
}

function navGroup(group: string, entries: readonly Entry[]): string {
  const links = entries
    .filter((entry) => entry.group === group)
    .map(
      ({ id, method, path, summary }) =>
        `<a href="#${escaped(id)}" data-text="${escaped(`${method} ${path} ${summary} ${id}`.toLowerCase())}" title="${escaped(summary)}"><span class="method ${method}">${method}</span><span class="path">${escaped(path)}</span></a>`,
    )
  const title = group.replace(/([A-Z])/g, ' $1')
  return `<section><h2>${escaped(title)}</h2>${links.join('')}</section>`
}

function article(entry: Entry, url: string): string {
  const { id, method, path, summary, description, deprecated, parameters, body, status, answer } = entry
  return `<article id="${escaped(id)}">
<h3>${escaped(summary)}${deprecated ? '<span class="chip">deprecated</span>' : ''}</h3>
<div class="call"><span class="method ${method}">${method}</span><span class="path">${escaped(path)}</span></div>
<p class="note">${escaped(description)} Answers ${escaped(status)} with ${linked(answer)}.</p>
${table('Parameter', parameters)}
${body ? table('Body', body.members) : ''}
<div class="code"><button type="button" hidden>Copy</button><pre><code>${escaped(curlOf(entry, url, '$KEY'))}</code></pre></div>
</article>`
}

function table(title: string, members: readonly Member[]): string {
  if (members.length === 0) return ''
  const rows = members.map(
    ({ name, type, required, description }) =>
      `<tr><td><code>${escaped(name)}</code>${required ? ' <span class="must">required</span>' : ''}</td><td>${linked(type)}${description === '' ? '' : `<br><span class="note">${escaped(description)}</span>`}</td></tr>`,
  )
  return `<table><thead><tr><th>${title}</th><th>Type</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** Turns the names of shapes into links. */
function linked(type: string): string {
  return escaped(type).replace(/\b[A-Z][a-z]\w+\b/g, (name) => `<a href="#${name}">${name}</a>`)
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
