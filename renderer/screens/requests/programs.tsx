import type { LogPrograms } from '../../../shared/schemas/log.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { type RecordFilter, toOwnerLogQuery } from './record.ts'
import styles from './requests.module.css'
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
  return (
    <div className={styles.programs}>
      <LoadedView of={programCounts}>
        {(programs) => (
          <>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.actor}</th>
                  <th scope="col">{t.agent}</th>
                  <th scope="col" className={styles.number}>
                    {t.records}
                  </th>
                  <th scope="col" className={styles.number}>
                    {t.refused}
                  </th>
                </tr>
              </thead>
              <tbody>
                {programs.slice(0, MAX_PROGRAMS).map((program) => (
                  <tr key={JSON.stringify([program.actor, program.agent])}>
                    <th scope="row">
                      <button type="button" className="unstyled link" onClick={() => onPick(program)}>
                        <MarkedText
                          text={actor(
                            program.actor === program.actor_type ? null : program.actor,
                            program.actor_type,
                          )}
                        />
                      </button>
                    </th>
                    <td className={program.agent === '' ? 'faint' : 'mono'}>
                      {program.agent === '' ? t.none : <MarkedText text={program.agent} />}
                    </td>
                    <td className={styles.number}>{program.records.toLocaleString('en')}</td>
                    <td className={styles.number}>{program.refused.toLocaleString('en')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
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
