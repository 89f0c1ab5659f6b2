import { escapeHtml } from '../../shared/escape-html.ts'
import { formatCount } from '../../shared/format-count.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'
import { formatTitle, getSides, listParts, listSkipReasons, summarizeReport } from './report-parts.ts'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
code, pre, td { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
table { width: 100%; border-collapse: collapse; table-layout: fixed; margin: .5rem 0 1.5rem }
th, td { border: 1px solid #8884; padding: .3rem .5rem; text-align: left; vertical-align: top }
th:first-child { width: 18% }
h3 { margin-bottom: 0 }
footer, small { opacity: .75 }`

/**
 * Formats a report as one page of HTML, without scripts and without anything from elsewhere. SECURITY: a server chooses
 * parts of the report, so none of its texts is markup.
 */
export function formatReportPage(report: ConformReport): string {
  const parts = listParts(report).map(
    ({ title, rules }) =>
      `<h2>${escapeHtml(title)}</h2>${rules
        .map(
          ({ rule, outcomes }) =>
            `<h3>${escapeHtml(rule)}</h3>${outcomes.map((outcome) => formatOutcome(report, outcome)).join('')}`,
        )
        .join('')}`,
  )
  const skipped = listSkipReasons(report).map(
    ({ reason, count }) => `<li>${formatCount(count, 'statement')} because ${escapeHtml(reason)}</li>`,
  )
  const title = escapeHtml(formatTitle(report))
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style>
<body><h1>${title}</h1>
<p>${escapeHtml(summarizeReport(report))}</p>
${parts.join('\n') || '<p>No difference was found.</p>'}
${skipped.length > 0 ? `<h2>Skipped</h2><ul>${skipped.join('')}</ul>` : ''}
<footer>${escapeHtml(report.started_at)}. Names such as <code>\${token}</code> stand for values of the run.</footer>
</body></html>
`
}

function formatOutcome(report: ConformReport, outcome: StatementOutcome): string {
  const { says, source, request, reason, differences } = outcome
  const sides = getSides(report, outcome)
  const rows = differences.map(
    ({ at, expected, received }) =>
      `<tr><td>${escapeHtml(at)}<td>${escapeHtml(expected)}<td>${escapeHtml(received)}`,
  )
  return `<p>${escapeHtml(says)}. <small>${escapeHtml(source)}</small></p>${
    request === undefined ? '' : `<pre>${escapeHtml(request)}</pre>`
  }${reason === undefined ? '' : `<p>${escapeHtml(reason)}</p>`}${
    rows.length > 0
      ? `<table><tr><th>at<th>${escapeHtml(sides.expected)}<th>${escapeHtml(sides.received)}${rows.join('')}</table>`
      : ''
  }`
}
