import { formatCount } from '../../shared/format-count.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'
import { formatTitle, getSides, listParts, listSkipReasons, summarizeReport } from './report-parts.ts'

/** Formats a report as text for a terminal, grouped by rule. */
export function formatReportText(report: ConformReport): string {
  return [
    ...listParts(report).flatMap(({ title, rules }) => [
      title,
      '',
      ...rules.flatMap(({ rule, outcomes }) =>
        outcomes.flatMap((outcome) => [
          `  ${rule}  ${outcome.says}. (${outcome.source})`,
          ...formatDetails(report, outcome).map((line) => `        ${line}`),
          '',
        ]),
      ),
    ]),
    ...listSkipReasons(report).map(
      ({ reason, count }) => `Skipped ${formatCount(count, 'statement')} because ${reason}.`,
    ),
    summarizeReport(report),
  ].join('\n')
}

function formatDetails(report: ConformReport, outcome: StatementOutcome): string[] {
  const sides = getSides(report, outcome)
  const width = Math.max(sides.expected.length, sides.received.length) + 1
  return [
    ...(outcome.request === undefined ? [] : [outcome.request]),
    ...(outcome.reason === undefined ? [] : [outcome.reason]),
    ...outcome.differences.flatMap(({ at, expected, received }) => [
      `${at}`,
      `  ${`${sides.expected}:`.padEnd(width)} ${expected}`,
      `  ${`${sides.received}:`.padEnd(width)} ${received}`,
    ]),
  ]
}

/** Formats a report as Markdown to send to Coffer's authors, with places for what only the sender knows. */
export function formatReportTemplate(report: ConformReport): string {
  return `# ${formatTitle(report)}

<!-- The report contains no key, id or value of yours. Read it once before you send it all the same. -->

- Date: ${report.started_at.slice(0, 10)}
- Kind of tenant (test or trial, and its region): 
- What of this has mattered to your program: 
- ${summarizeReport(report)}
${listParts(report)
  .map(
    ({ title, rules }) =>
      `\n## ${title}\n${rules
        .map(
          ({ rule, outcomes }) =>
            `\n### ${rule}\n${outcomes.map((outcome) => formatMarkdown(report, outcome)).join('\n')}`,
        )
        .join('\n')}`,
  )
  .join('\n')}
`
}

function formatMarkdown(report: ConformReport, outcome: StatementOutcome): string {
  const sides = getSides(report, outcome)
  const escapeCell = (text: string) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``
  const rows = outcome.differences.map(
    ({ at, expected, received }) =>
      `| ${escapeCell(at)} | ${escapeCell(expected)} | ${escapeCell(received)} |`,
  )
  return [
    `\n${outcome.says}. (${outcome.source})`,
    ...(outcome.request === undefined ? [] : [`\n    ${outcome.request}`]),
    ...(outcome.reason === undefined ? [] : [`\n${outcome.reason}`]),
    ...(rows.length > 0
      ? [`\n| at | ${sides.expected} | ${sides.received} |\n|---|---|---|\n${rows.join('\n')}`]
      : []),
  ].join('\n')
}
