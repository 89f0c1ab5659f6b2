import { formatCount } from '../../shared/format-count.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'
import { formatLeft } from './conform-server.ts'

/** A part of a report: outcomes of one kind, grouped by rule. */
export type ReportPart = {
  readonly title: string
  readonly rules: readonly { readonly rule: string; readonly outcomes: readonly StatementOutcome[] }[]
}

/** Whether the server differs from what the documents say, or has not answered. */
export function hasFailed({ outcomes }: ConformReport): boolean {
  return outcomes.some(
    ({ result, decision }) => result === 'unanswered' || (result === 'differs' && !decision),
  )
}

/** Lists the parts of a report that are not empty: differences first, then those where the documents are silent. */
export function listParts({ sides, outcomes }: ConformReport): ReportPart[] {
  const differs = sides.expected === 'expected' ? 'Differs from the documents' : 'The servers differ'
  const parts: [title: string, isPart: (outcome: StatementOutcome) => boolean][] = [
    [differs, ({ result, decision }) => result === 'differs' && !decision],
    ['The documents are silent', ({ result, decision }) => result === 'differs' && decision],
    ['Not answered', ({ result }) => result === 'unanswered'],
  ]
  return parts.flatMap(([title, isPart]) => {
    const found = Map.groupBy(outcomes.filter(isPart), ({ rule }) => rule)
    const rules = [...found].map(([rule, some]) => ({ rule, outcomes: some }))
    return rules.length > 0
      ? [{ title, rules: rules.toSorted((one, other) => one.rule.localeCompare(other.rule)) }]
      : []
  })
}

/** Names a report: what was compared with what. */
export function formatTitle({ server, sides }: ConformReport): string {
  return sides.expected === 'expected'
    ? `Coffer compared with ${server}`
    : `${sides.expected} compared with ${sides.received}`
}

/** Names the two sides of a difference. Where the documents are silent, the expected one is Coffer's. */
export function getSides({ sides }: ConformReport, { decision }: StatementOutcome): ConformReport['sides'] {
  return decision && sides.expected === 'expected' ? { expected: 'Coffer', received: 'the server' } : sides
}

/** Summarizes a report, and says what could not be deleted. */
export function summarizeReport({ server, outcomes, seconds, requests, left }: ConformReport): string {
  const countResult = (result: StatementOutcome['result']) =>
    outcomes.filter((outcome) => outcome.result === result).length
  const counts = [
    `${countResult('holds')} hold`,
    `${countResult('differs')} differ`,
    ...(countResult('unanswered') > 0 ? [`${countResult('unanswered')} were not answered`] : []),
    `${countResult('skipped')} were skipped`,
  ]
  const effort = `${formatCount(requests, 'request')} in ${seconds} s`
  return `${server}: of ${formatCount(outcomes.length, 'statement')}, ${counts.join(', ')} (${effort}).${left > 0 ? ` ${formatLeft(left)}` : ''}`
}

/** Counts the skipped statements by reason. */
export function listSkipReasons({
  outcomes,
}: ConformReport): { readonly reason: string; readonly count: number }[] {
  const skipped = outcomes.filter(({ result }) => result === 'skipped')
  return [...Map.groupBy(skipped, ({ reason = '' }) => reason)].map(([reason, { length }]) => ({
    reason,
    count: length,
  }))
}
