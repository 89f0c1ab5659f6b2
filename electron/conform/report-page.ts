import { formatCount } from '../../shared/format-count.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'
import { getSides, listParts, listSkipReasons, summarizeReport } from './report-parts.ts'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
code, pre, td { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
table { width: 100%; border-collapse: collapse; table-layout: fixed; margin: .5rem 0 1.5rem }
th, td { border: 1px solid #8884; padding: .3rem .5rem; text-align: left; vertical-align: top }
th:first-child { width: 18% }
h3 { margin-bottom: 0 }
footer, small { opacity: .75 }`

/** Formats a report as one page of HTML, without scripts and without anything from elsewhere. */
export function formatReportPage(report: ConformReport): string {
  const parts = listParts(report).map(
    ({ title, rules }) =>
      `<h2>${escapeText(title)}</h2>${rules
        .map(
          ({ rule, outcomes }) =>
            `<h3>${escapeText(rule)}</h3>${outcomes.map((outcome) => formatOutcome(report, outcome)).join('')}`,
        )
        .join('')}`,
  )
  const skipped = listSkipReasons(report).map(
    ({ reason, count }) => `<li>${formatCount(count, 'statement')} because ${escapeText(reason)}</li>`,
  )
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Coffer compared with ${escapeText(report.server)}</title><style>${style}</style>
<body><h1>Coffer compared with ${escapeText(report.server)}</h1>
<p>${escapeText(summarizeReport(report))}</p>
${parts.join('\n') || '<p>No difference was found.</p>'}
${skipped.length > 0 ? `<h2>Skipped</h2><ul>${skipped.join('')}</ul>` : ''}
<footer>${escapeText(report.started_at)}. Names such as <code>\${token}</code> stand for values of the run.</footer>
</body></html>
`
}

function formatOutcome(report: ConformReport, outcome: StatementOutcome): string {
  const { says, source, request, reason, differences } = outcome
  const sides = getSides(report, outcome)
  const rows = differences.map(
    ({ at, expected, received }) =>
      `<tr><td>${escapeText(at)}<td>${escapeText(expected)}<td>${escapeText(received)}`,
  )
  return `<p>${escapeText(says)}. <small>${escapeText(source)}</small></p>${
    request === undefined ? '' : `<pre>${escapeText(request)}</pre>`
  }${reason === undefined ? '' : `<p>${escapeText(reason)}</p>`}${
    rows.length > 0
      ? `<table><tr><th>at<th>${escapeText(sides.expected)}<th>${escapeText(sides.received)}${rows.join('')}</table>`
      : ''
  }`
}

/** SECURITY: a server chooses parts of this text, so nothing in it is markup. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
