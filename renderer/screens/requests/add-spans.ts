import type { LogTimeline } from '../../../shared/schemas/log.ts'

type Spans = LogTimeline['spans']

/** Adds the counts of two parts of the log. */
export function addSpans(some: Spans, more: Spans): Spans {
  const spans = new Map(some.map((span) => [span.at, span]))
  for (const span of more) {
    const known = spans.get(span.at)
    spans.set(
      span.at,
      known
        ? {
            at: span.at,
            done: known.done + span.done,
            refused: known.refused + span.refused,
            failed: known.failed + span.failed,
          }
        : span,
    )
  }
  return [...spans.values()].sort((a, b) => a.at.localeCompare(b.at))
}
