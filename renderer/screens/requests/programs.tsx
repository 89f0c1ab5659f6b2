import type { LogPrograms } from '../../../shared/schemas/log.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import tableStyles from '../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../ui/row-table.tsx'
import screenStyles from '../../ui/screen.module.css'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { type RecordFilter, toOwnerLogQuery } from './record.ts'
import { strings } from './strings.ts'

const t = strings.programs
const MAX_PROGRAMS = 200

type LogProgram = LogPrograms['data'][number]

/** Counts, for each program, the records in the entire log that match the filters. */
async function countPrograms(filters: RecordFilter): Promise<readonly LogProgram[]> {
  const programs = new Map<string, LogProgram>()
  const query = toOwnerLogQuery(filters)
  for (let before: number | null | undefined; before !== null; ) {
    const part: LogPrograms = await vault.logs.programs({ ...query, ...(before !== undefined && { before }) })
    for (const program of part.data) {
      const key = JSON.stringify([program.actor, program.agent])
      const known = programs.get(key)
      programs.set(
        key,
        known
          ? { ...known, records: known.records + program.records, refused: known.refused + program.refused }
          : program,
      )
    }
    before = part.next
  }
  return [...programs.values()].sort((a, b) => b.records - a.records)
}

const columns: readonly DataColumn<LogProgram>[] = [
  {
    label: t.agent,
    render: ({ agent }) =>
      agent === '' ? <span className="faint">{t.none}</span> : <MarkedSpan text={agent} />,
    className: tableStyles.text,
  },
  { label: t.records, render: ({ records }) => records.toLocaleString('en'), className: tableStyles.action },
  { label: t.refused, render: ({ refused }) => refused.toLocaleString('en'), className: tableStyles.action },
]

type Props = {
  readonly filters: RecordFilter
  readonly onPick: (program: LogProgram) => void
}

/** Lists who called, with which program, and how often. A click shows the records of that program. */
export function Programs({ filters, onPick }: Props) {
  const actor = useActorName()
  const programCounts = useLoaded(() => countPrograms(filters), {
    about: JSON.stringify(filters),
    stays: true,
  })
  const renderActor = (program: LogProgram) => (
    <button type="button" className="unstyled link" onClick={() => onPick(program)}>
      <MarkedText
        text={actor(program.actor === program.actor_type ? null : program.actor, program.actor_type)}
      />
    </button>
  )
  return (
    <div className={`${screenStyles.scroll} ${tableStyles.root}`}>
      <LoadedView of={programCounts}>
        {(programs) => (
          <>
            <DataTable
              rows={programs.slice(0, MAX_PROGRAMS)}
              keyOf={({ actor, agent }) => JSON.stringify([actor, agent])}
              columns={[{ label: t.actor, is: 'name', render: renderActor }, ...columns]}
            />
            {programs.length === 0 && <p className="faint">{t.empty}</p>}
            {programs.length > MAX_PROGRAMS && (
              <p className="faint">{t.more(programs.length - MAX_PROGRAMS)}</p>
            )}
          </>
        )}
      </LoadedView>
    </div>
  )
}
