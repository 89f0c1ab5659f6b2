import { Button, SegmentedControl, Select } from '@mantine/core'
import { useActorName, useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { SearchField } from '../../parts/navigation/list-search.tsx'
import { Icon } from '../../ui/icon.tsx'
import screenStyles from '../../ui/screen.module.css'
import { markText } from '../../ui/text/marked-text.tsx'
import { NO_AGENT, type OutcomeFilter, type RecordFilters } from './record.ts'
import { formatDayAndTime } from './record-columns.tsx'
import { useRecords } from './records-store.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings
const outcomes = Object.keys(t.filters.outcomes) as OutcomeFilter[]

/** Formats a time span; names the day only once if both ends are on the same day. */
function formatSpan(since: string | undefined, until: string | undefined): string {
  const from = since === undefined ? null : formatDayAndTime(Date.parse(since))
  const to = until === undefined ? null : formatDayAndTime(Date.parse(until))
  const [, day = ''] = /^(.+ )\S+$/.exec(from ?? '') ?? []
  return t.filters.span(from, day !== '' && to?.startsWith(day) ? to.slice(day.length) : to)
}

type Props = {
  readonly filters: RecordFilters
  readonly onFilter: (part: Partial<Record<keyof RecordFilters, string | undefined>>) => void
  readonly byProgram: boolean
  readonly onProgram: (byProgram: boolean) => void
  readonly onClear: () => void
  /** Moves the focus to the rows. */
  readonly onLeave: () => void
}

export function RecordFilterBar({ filters, onFilter, byProgram, onProgram, onClear, onLeave }: Props) {
  const { rows: applications } = useApplications()
  const rows = useRecords((records) => records.rows)
  const isOwner = useViewAs(({ as }) => as === null)
  const formatActor = useActorName()
  const { outcome, actor, agent, kind, entity, q, since, until } = filters
  const filtered = outcome !== 'all' || actor || agent || kind || entity || q || since || until
  const isListed = (each: string) => each in access.actors || applications.some(({ id }) => id === each)
  // The label depends on the actor's type, which is known only from a record of this actor.
  const formatActorLabel = (id: string) => {
    const row = rows.find(({ actor_id }) => actor_id === id)
    return row ? formatActor(id, row.actor_type) : id
  }
  return (
    <search className={screenStyles.filters} aria-label={t.filters.label}>
      <SegmentedControl
        aria-label={t.filters.outcome}
        data={outcomes.map((value) => ({ value, label: t.filters.outcomes[value] }))}
        value={outcome}
        onChange={(value) => onFilter({ outcome: value === 'all' ? undefined : value })}
      />
      <Select
        aria-label={t.filters.actorLabel}
        placeholder={t.filters.actor}
        clearable
        searchable
        data={[
          { value: 'owner', label: access.actors.owner },
          { value: 'vault', label: access.actors.vault },
          { value: 'unknown', label: access.actors.unknown },
          { value: 'cardholder', label: access.actors.cardholder },
          ...applications.map(({ id, name }) => ({ value: id, label: markText(name) })),
          ...(actor !== undefined && !isListed(actor)
            ? [{ value: actor, label: formatActorLabel(actor) }]
            : []),
        ]}
        value={actor ?? null}
        onChange={(value) => onFilter({ actor: value ?? undefined })}
        className={styles.filterChoice}
      />
      <Select
        aria-label={t.filters.kindLabel}
        placeholder={t.filters.kind}
        clearable
        data={Object.entries(t.drawer.kinds).map(([value, label]) => ({ value, label }))}
        value={kind ?? null}
        onChange={(value) => onFilter({ kind: value ?? undefined })}
        className={styles.filterChoice}
      />
      <SearchField
        label={t.filters.search}
        value={q ?? ''}
        onChange={(input) => onFilter({ q: input || undefined })}
        onExit={onLeave}
      />
      {entity !== undefined && (
        <Button
          variant="light"
          rightSection={<Icon name="close" size={10} />}
          onClick={() => onFilter({ entity: undefined })}
        >
          <span className={`clip ${screenStyles.filterValue}`}>{t.filters.entity(entity)}</span>
        </Button>
      )}
      {agent !== undefined && (
        <Button
          variant="light"
          rightSection={<Icon name="close" size={10} />}
          onClick={() => onFilter({ agent: undefined })}
        >
          <span className={`clip ${screenStyles.filterValue}`}>
            {agent === NO_AGENT ? t.filters.noAgent : t.filters.agent(agent)}
          </span>
        </Button>
      )}
      {(since !== undefined || until !== undefined) && (
        <Button
          variant="light"
          rightSection={<Icon name="close" size={10} />}
          onClick={() => onFilter({ since: undefined, until: undefined })}
        >
          {formatSpan(since, until)}
        </Button>
      )}
      {isOwner && (
        <Button
          variant={byProgram ? 'light' : 'default'}
          aria-pressed={byProgram}
          onClick={() => onProgram(!byProgram)}
        >
          {t.filters.byProgram}
        </Button>
      )}
      {filtered && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          {t.filters.clear}
        </Button>
      )}
    </search>
  )
}
