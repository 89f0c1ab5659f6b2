import { readPart, writePart } from '../guide-part.ts'
import { notCounted } from './not-counted.ts'

const begin = '<!-- Written by `npm run clients`, by calling each method. -->\n\n'
const end = '\n<!-- End of the methods. -->'

const states = ['right', 'with a difference', 'refused by a rule', 'not built yet'] as const

/** What a method of the client was answered. */
export type MethodOutcome = {
  readonly name: string
  readonly state: (typeof states)[number]
  readonly status: number
  /** The members of its request that were ignored. */
  readonly ignored: readonly string[]
  /** The members of its answer that no call has shown and that count as a difference: `Token.networkToken`. */
  readonly unseen: readonly string[]
}

/** Formats the outcomes as Markdown: the methods by state, and what differs. */
export function formatMethods(outcomes: readonly MethodOutcome[]): string {
  const parts = Map.groupBy(outcomes, ({ name }) => name.replace(/\.\w+$/, ''))
  const rows = [...parts].map(([part, methods]) => {
    const cells = states.map((state) =>
      methods
        .filter((each) => each.state === state)
        .map(formatMethod)
        .join(', '),
    )
    return [`\`${part}\``, ...cells]
  })
  const head = ['Methods of', ...states.map((state) => `${state}: ${countState(outcomes, state)}`)]
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [...table, '', ...listIgnored(outcomes), ...listUnseen(outcomes), ...listNotCounted()].join('\n')
}

const countState = (outcomes: readonly MethodOutcome[], state: string) =>
  outcomes.filter((each) => each.state === state).length

function formatMethod({ name, state, status }: MethodOutcome): string {
  const method = `\`${name.split('.').at(-1)}\``
  return state === 'not built yet' ? method : `${method} ${status}`
}

function listIgnored(outcomes: readonly MethodOutcome[]): string[] {
  const differing = outcomes.filter(({ ignored }) => ignored.length > 0)
  if (differing.length === 0) return ['No member of a request is ignored.', '']
  const lines = differing.map(({ name, ignored }) => `- \`${name}\`: ${formatNames(ignored)}`)
  return ['Members of requests that are ignored:', '', ...lines, '']
}

function listUnseen(outcomes: readonly MethodOutcome[]): string[] {
  const unseen = [...new Set(outcomes.flatMap((each) => each.unseen))].sort()
  if (unseen.length === 0) return []
  const byType = Map.groupBy(unseen, (each) => each.split('.')[0] ?? '')
  const lines = [...byType].map(([type, members]) => {
    return `- \`${type}\`: ${formatNames(members.map((each) => each.split('.')[1] ?? ''))}`
  })
  return ['Members that no answer had, by type of the client:', '', ...lines, '']
}

function listNotCounted(): string[] {
  const lines = Object.entries(notCounted).map(([reason, members]) => `- ${reason}: ${formatNames(members)}`)
  return [
    'Members that no answer had either, and that are not counted as a difference, by the reason:',
    '',
    ...lines,
    '',
  ]
}

const formatNames = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

export function readMethods(): string {
  return readPart(begin, end)
}

/** Replaces the table of methods in docs/clients.md. */
export function writeMethods(outcomes: readonly MethodOutcome[]): void {
  writePart(begin, end, formatMethods(outcomes))
}
