import type { Filter } from '../../../shared/conditions.ts'
import { formatFilter, parseFilter, withConditions, withoutFields } from '../../../shared/conditions.ts'
import { logFields, type OwnerLog } from '../../../shared/schemas/log.ts'

/** A log record in a list. Only the owner sees programs and sizes. */
export type LogListRecord = OwnerLog

export type OutcomeFilter = 'all' | 'done' | 'refused' | 'failed'

export function getOutcome(status: number): Exclude<OutcomeFilter, 'all'> {
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'done'
}

/** The fields of the log's filter: those of a record, and the span of time. */
export const recordFields = [...logFields, 'since', 'until'] as const
export type RecordField = (typeof recordFields)[number]
export type RecordFilter = Filter<RecordField>

/** Reads the filter from a route's query. */
export function toRecordFilter({ q = '' }: Readonly<Record<string, string>>): RecordFilter {
  return parseFilter(q, recordFields)
}

export function toRouteQuery(filter: RecordFilter): { readonly q: string } {
  return { q: formatFilter(filter) }
}

/** The status classes of the outcomes. */
const statuses = { done: '2xx', refused: '4xx', failed: '5xx' } as const

/** The outcome that a filter selects; null for any other selection of statuses. */
export function getOutcomeFilter({ conditions }: RecordFilter): OutcomeFilter | null {
  const [chosen, ...others] = conditions.filter(({ field }) => field === 'status')
  if (!chosen) return 'all'
  if (chosen.not || others.length > 0) return null
  return outcomeNames.find((name) => statuses[name] === chosen.value) ?? null
}
const outcomeNames = ['done', 'refused', 'failed'] as const

export function withOutcome(filter: RecordFilter, outcome: OutcomeFilter): RecordFilter {
  const others = withoutFields(filter, ['status'])
  return outcome === 'all' ? others : withConditions(others, [{ field: 'status', value: statuses[outcome] }])
}

type Span = { readonly since?: string | undefined; readonly until?: string | undefined }

/** The span of time of a filter: from `since`, and before `until`. */
export function getSpan({ conditions }: RecordFilter): Span {
  const findMoment = (name: 'since' | 'until') => conditions.find(({ field }) => field === name)?.value
  return { since: findMoment('since'), until: findMoment('until') }
}

export function withSpan(filter: RecordFilter, { since, until }: Span): RecordFilter {
  return withConditions(withoutFields(filter, ['since', 'until']), [
    ...(since === undefined ? [] : [{ field: 'since' as const, value: since }]),
    ...(until === undefined ? [] : [{ field: 'until' as const, value: until }]),
  ])
}

function toSpanQuery(filter: RecordFilter) {
  const { since, until } = getSpan(filter)
  return {
    ...(since !== undefined && { start_date: since }),
    ...(until !== undefined && { end_date: until }),
  }
}

export function toOwnerLogQuery(filter: RecordFilter) {
  const where = filter.conditions.flatMap(({ field, ...rest }) =>
    field === 'since' || field === 'until' ? [] : [{ field, ...rest }],
  )
  return {
    ...(where.length > 0 && { where }),
    ...(filter.words !== '' && { q: filter.words }),
    ...toSpanQuery(filter),
  }
}

/** The parameters of GET /logs that fields have. */
const parameters = {
  status: 'status',
  app: 'actor_id',
  about: 'entity_type',
  id: 'entity_id',
  action: 'action',
  trace: 'trace_id',
} as const

function isParameter(field: RecordField): field is keyof typeof parameters {
  return Object.hasOwn(parameters, field)
}

/** Reduces a filter to what an API key may ask for: one value of some fields, and none left out. */
export function limitFilter({ conditions, words }: RecordFilter): RecordFilter {
  const allowed = conditions.filter(
    ({ field, value, not }) =>
      !not && !value.includes('*') && (isParameter(field) || field === 'since' || field === 'until'),
  )
  const latest = new Map(allowed.map((each) => [each.field, each]))
  return { words, conditions: [...latest.values()] }
}

export const keyFields: readonly RecordField[] = recordFields.filter(
  (field) => isParameter(field) || field === 'since' || field === 'until',
)

/** The filter as a query of GET /logs, which an API key may send. */
export function toLogQuery(filter: RecordFilter) {
  const { conditions, words } = limitFilter(filter)
  const named = conditions.flatMap(({ field, value }) =>
    isParameter(field) ? [[parameters[field], value] as const] : [],
  )
  return { ...Object.fromEntries(named), ...(words !== '' && { q: words }), ...toSpanQuery(filter) }
}

/** Selects the records of a caller and a program, which is empty for records without one. */
export function withProgram(
  filter: RecordFilter,
  { actor, agent }: { readonly actor: string; readonly agent: string },
): RecordFilter {
  const field = 'program'
  return withConditions(withoutFields(filter, ['app', field]), [
    { field: 'app', value: actor },
    agent === '' ? { field, value: '*', not: true } : { field, value: agent },
  ])
}

/** The condition that leaves out what the owner did in the window or with the command line. */
const notOwner = { field: 'app', value: 'owner', not: true } as const

/** Leaves out the owner's records, unless the filter asks for the owner. */
export function withoutOwner(filter: RecordFilter): RecordFilter {
  const isAsked = filter.conditions.some(({ field, value }) => field === 'app' && value === 'owner')
  return isAsked ? filter : withConditions(filter, [notOwner])
}

/** The decision of a record as the log stores it: the sentence that the caller got, or the note. */
export function getOwnDecision({ detail, note }: LogListRecord): string | undefined {
  return detail ?? note
}

/** Why a caller was refused, or how access was granted, in one line. */
export function describeDecision(record: LogListRecord): string | undefined {
  const members = Object.entries(record.errors ?? {}).map(
    ([member, messages]) => `${member} ${messages.join(', ')}`,
  )
  if (members.length > 0) return members.join('; ')
  return getOwnDecision(record)
}

/** Whether an id was recorded in full. An id that may be a card number is masked and ends with a digest. */
export function isUnmaskedId(id: string): boolean {
  return !id.includes('#')
}
