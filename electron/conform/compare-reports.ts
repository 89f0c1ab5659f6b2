import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'

type Differences = StatementOutcome['differences']

/**
 * Compares what two servers answered to the same statements. In the result, a statement differs where the two do not agree,
 * whether or not either one is as expected.
 */
export function compareReports(one: ConformReport, other: ConformReport): ConformReport {
  const isSame = one.server === other.server
  const sides = {
    expected: isSame ? `${one.server} (first)` : one.server,
    received: isSame ? `${other.server} (second)` : other.server,
  }
  return {
    server: `${sides.expected} and ${sides.received}`,
    sides,
    started_at: one.started_at,
    seconds: Math.round(10 * (one.seconds + other.seconds)) / 10,
    requests: one.requests + other.requests,
    left: one.left + other.left,
    outcomes: one.outcomes.flatMap((outcome, index) => {
      const counterpart = other.outcomes[index]
      return counterpart ? [compareOutcomes(outcome, counterpart, sides)] : []
    }),
  }
}

function compareOutcomes(
  one: StatementOutcome,
  other: StatementOutcome,
  sides: ConformReport['sides'],
): StatementOutcome {
  const { request: _request, reason: _reason, ...statement } = one
  const places = [
    { side: sides.expected, ...one },
    { side: sides.received, ...other },
  ]
  const unanswered = places.filter(({ result }) => result === 'unanswered')
  if (unanswered.length > 0) {
    const reason = unanswered.map((each) => `${each.side}: ${each.reason}`).join(' ')
    return { ...statement, result: 'unanswered', reason, differences: [] }
  }
  const [skipped, again] = places.filter(({ result }) => result === 'skipped')
  if (skipped) {
    const isOfBoth = skipped.reason === again?.reason
    const reason = `${isOfBoth ? '' : `at ${skipped.side}, `}${skipped.reason}`
    return { ...statement, result: 'skipped', reason, differences: [] }
  }
  const request = one.request ?? other.request
  const isSameRequest =
    one.request === undefined || other.request === undefined || one.request === other.request
  const differences = isSameRequest
    ? mergeDifferences(one.differences, other.differences)
    : [
        ...mergeDifferences(one.differences, [], `${one.request}: `),
        ...mergeDifferences([], other.differences, `${other.request}: `),
      ]
  return differences.length === 0
    ? { ...statement, result: 'holds', differences }
    : { ...statement, result: 'differs', ...(request !== undefined && { request }), differences }
}

/** Puts the received values of two servers side by side. One that had no difference there received what was expected. */
function mergeDifferences(one: Differences, other: Differences, place = ''): Differences {
  const places = new Set([...one, ...other].map(({ at }) => at))
  return [...places].flatMap((at) => {
    const left = one.find((each) => each.at === at)
    const right = other.find((each) => each.at === at)
    const expected = left?.received ?? right?.expected ?? ''
    const received = right?.received ?? left?.expected ?? ''
    return left && right && expected === received ? [] : [{ at: place + at, expected, received }]
  })
}
