import { Box } from '@mantine/core'
import { useState } from 'react'
import { type FieldContent, matchesFilter } from '../../../shared/conditions.ts'
import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { RunSummary } from '../../../shared/schemas/reactor.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { type FilterFieldOf, toChoices } from '../../parts/filters/filter-fields.ts'
import { useRouteFilter } from '../../parts/filters/use-route-filter.ts'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import styles from './reactors.module.css'
import { RecordLink, TokenLinks } from './run-links.tsx'
import { strings } from './strings.ts'

const t = strings.runs
/** As many as are stored. */
const MAX_RUNS = 200

const runFields = ['status', 'kind', 'took', 'trace'] as const
type RunField = (typeof runFields)[number]

const fields: readonly FilterFieldOf<RunField>[] = [
  { field: 'status', label: t.fields.status, icon: 'check', values: toChoices('2xx', '4xx', '5xx') },
  {
    field: 'kind',
    label: t.fields.kind,
    icon: 'bolt',
    values: Object.entries(t.kinds).map(([value, name]) => ({ value, name })),
  },
  { field: 'took', label: t.fields.took, icon: 'clock', values: toChoices('>100ms', '>1s') },
  { field: 'trace', label: t.fields.trace, icon: 'activity' },
]

function readField({ status, kind, duration_ms, trace_id }: RunSummary, field: RunField): FieldContent {
  return { status, kind, took: duration_ms, trace: trace_id }[field]
}

type Props = {
  readonly id: string
  /** The id of the run to open first, from a link. A run that is not in the list is shown above it. */
  readonly linked: string | undefined
}

/** The saved runs of a reactor, newest first. A run expands in place. */
export function Runs({ id, linked }: Props) {
  const runs = useLoaded(
    () => fetchEveryItem((page) => vault.reactorRuns.list({ reactor_id: id, ...page }), MAX_RUNS),
    { about: id, follows: ['reactor_run'] },
  )
  const { filter, bar, problem } = useRouteFilter(fields, ['status', 'took'])
  const [open, setOpen] = useState(linked ?? null)
  return (
    <LoadedView of={runs} lines={4}>
      {({ items }) => {
        if (items.length === 0) return <p className="faint">{t.none}</p>
        const data = items.filter(
          (run) =>
            problem === null &&
            matchesFilter(filter, (field) => [readField(run, field)], [
              run.kind,
              t.kinds[run.kind],
              run.trace_id,
            ]),
        )
        return (
          <>
            <FilterBar label={t.search} {...bar} onLeave={() => {}} />
            {linked !== undefined && !data.some((run) => run.id === linked) && (
              <RunBody key={linked} id={linked} />
            )}
            <Box component="ul" mt={8} aria-label={t.list}>
              {data.map((run) => (
                <li key={run.id} className={styles.run}>
                  <RunHead
                    run={run}
                    isOpen={run.id === open}
                    onToggle={() => setOpen(run.id === open ? null : run.id)}
                  />
                  {run.id === open && <RunBody id={run.id} />}
                </li>
              ))}
            </Box>
            {problem !== null && <Failure>{problem}</Failure>}
            {data.length === 0 && problem === null && <p className="faint">{t.noMatch}</p>}
            <p className="help" role="status">
              {t.count(data.length)}
            </p>
          </>
        )
      }}
    </LoadedView>
  )
}

type HeadProps = { readonly run: RunSummary; readonly isOpen: boolean; readonly onToggle: () => void }

function RunHead({ run: { status, kind, duration_ms, created_at }, isOpen, onToggle }: HeadProps) {
  return (
    <button type="button" className={`unstyled ${styles.runHead}`} aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} size={12} />
      <StatusChip status={status} />
      <span>{t.kinds[kind]}</span>
      <span className="faint">{formatDuration(duration_ms)}</span>
      <span className="space" />
      <FaintTime at={created_at} />
    </button>
  )
}

/** SECURITY: rendered as text only, because code may print HTML. */
function RunBody({ id }: { id: string }) {
  const run = useLoaded(() => vault.reactorRuns.get({ id }), { about: id })
  const { at, console: printed, noConsole } = strings.testRun
  return (
    <section className={styles.runBody} aria-label={t.label}>
      <LoadedView of={run}>
        {({ trace_id, problem, console, token_ids }) => (
          <>
            <RecordLink trace_id={trace_id} />
            {problem && (
              <p className={styles.trialProblem}>
                {problem.place && `${at(problem.place.line, problem.place.column)}: `}
                <MarkedText text={problem.detail} />
              </p>
            )}
            <h3 className={styles.trialTitle}>{printed}</h3>
            {console === null || console === '' ? (
              <p className="faint">{console === null ? t.notKept : noConsole}</p>
            ) : (
              <Code text={console} what={printed} wrap />
            )}
            <h3 className={styles.trialTitle}>{t.tokens}</h3>
            {token_ids.length === 0 ? <p className="faint">{t.noTokens}</p> : <TokenLinks ids={token_ids} />}
          </>
        )}
      </LoadedView>
    </section>
  )
}
