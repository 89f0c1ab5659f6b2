import { useEffect, useMemo, useState } from 'react'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { formatExactTime } from '../../../ui/time/relative-time.ts'
import { type ApplicationUse, addUses, type ChangedUse, compareUses } from './compare-uses.ts'
import type { GrantsDraft } from './grants.ts'
import { describeOutcome, OutcomeChip } from './outcome.tsx'
import { MAX_PROPOSED_RULES, proposeRules } from './propose-rules.ts'
import styles from './rules.module.css'
import { strings } from './strings.ts'
import { useDecisions } from './use-decisions.ts'

const t = strings.log
/** The maximum numbers of kinds of checks that are compared, and of their containers, counted once per permission. */
const MAX_COMPARED = 800
const MAX_CONTAINERS = 3000
const MAX_LINES = 6

type Props = {
  readonly application_id: string
  readonly draft: GrantsDraft
  readonly onPropose: (draft: GrantsDraft) => void
}

/** Says what the requests in the log would get with these rules, and makes rules from them. */
export function LogVerdict({ application_id, draft, onPropose }: Props) {
  const logged = useLoggedUses(application_id)
  const [proposal, setProposal] = useState<{ readonly of: GrantsDraft; readonly text: string } | null>(null)
  if (!logged) return null
  const handlePropose = () => {
    const found = proposeRules(draft, logged.uses)
    if (!found) return
    const { draft: made, requests, widenedFrom, keepsScopes } = found
    const lines = [
      t.proposed(made.rules.length, requests, USE_DAYS),
      ...(widenedFrom === null ? [] : [t.widened(widenedFrom, MAX_PROPOSED_RULES)]),
      ...(keepsScopes ? [t.kept] : []),
    ]
    setProposal({ of: made, text: lines.join(' ') })
    onPropose(made)
  }
  return (
    <section className={styles.log} aria-label={t.title}>
      <div className={styles.head}>
        <h2>{t.title}</h2>
        <ActionButton
          label={t.propose}
          size="compact-xs"
          disabled={logged.isReading || logged.uses.every(({ refused }) => refused)}
          onClick={handlePropose}
        />
      </div>
      {logged.isReading ? (
        <span className="faint">{t.reading(logged.requests)}</span>
      ) : (
        <Verdict logged={logged} draft={draft} />
      )}
      <span role="status" className="dim">
        {proposal?.of === draft && proposal.text}
      </span>
    </section>
  )
}

function Verdict({ logged, draft }: { logged: LoggedUses; draft: GrantsDraft }) {
  const { uses, requests, since, until, isCut } = logged
  const compared = useMemo(() => pickCompared(uses), [uses])
  const { find, isLoaded } = useDecisions(draft, compared)
  if (since === null || requests === 0) return <span className="faint">{t.none(USE_DAYS)}</span>
  if (!isLoaded) return null
  const { refused, allowed, other, unknown, lines } = compareUses(uses, find)
  const [from, to] = [since, until].map((at) => formatExactTime(Date.parse(at)))
  const results = [
    ...(refused > 0 ? [t.refused(refused)] : []),
    ...(other > 0 ? [t.other(other)] : []),
    ...(allowed > 0 ? [t.allowed(allowed)] : []),
  ]
  const same = unknown > 0 ? t.sameKnown : t.same
  return (
    <>
      <div role="status">
        {t.of} {(isCut ? t.newest : t.covers)(requests, from ?? '', to ?? '')}:{' '}
        <strong>{results.length === 0 ? same : results.join(', ')}</strong>.
      </div>
      {lines.length > 0 && (
        <ul className={styles.lines}>
          {lines.slice(0, MAX_LINES).map((line) => (
            <VerdictLine key={JSON.stringify(line.use)} line={line} />
          ))}
          {lines.length > MAX_LINES && <li className="faint">{t.more(lines.length - MAX_LINES)}</li>}
        </ul>
      )}
      {unknown > 0 && <p className="note">{t.unknown(unknown)}</p>}
      <p className="note">{t.now}</p>
    </>
  )
}

/** The most frequent uses, with a limited number of containers. */
function pickCompared(uses: readonly ApplicationUse[]): readonly ApplicationUse[] {
  let containers = 0
  return [...uses]
    .sort((a, b) => b.requests - a.requests)
    .slice(0, MAX_COMPARED)
    .filter(({ permissions, subjects }) => {
      containers += permissions.length * subjects.flat().length
      return containers <= MAX_CONTAINERS
    })
}

function VerdictLine({ line: { use, decision } }: { line: ChangedUse }) {
  const { operation, requests, subjects, transform, refused } = use
  return (
    <li>
      <span className="clip">
        {t.line(requests, operation)}{' '}
        <bdi className="mono faint">{subjects.map((each) => each[0]).join(' ')}</bdi>
      </span>
      <del className={styles.was}>{describeOutcome({ allowed: !refused, transform })}</del>
      <OutcomeChip of={decision} />
    </li>
  )
}

const USE_DAYS = 7
/** The maximum numbers of requests, and of parts of the log, that are read. */
const MAX_REQUESTS = 20_000
const MAX_PARTS = 60

type LoggedUses = {
  readonly uses: readonly ApplicationUse[]
  readonly requests: number
  /** The time of the oldest request; null if there is none. */
  readonly since: string | null
  /** When the log was read. */
  readonly until: string
  readonly isReading: boolean
  /** Whether older requests of the period were not read. */
  readonly isCut: boolean
}

/** Reads what an application used in the last days from the log, one part at a time. Null until the first part is read. */
function useLoggedUses(application_id: string): LoggedUses | null {
  const [guard] = useState(createRequestGuard)
  const [state, setState] = useState<LoggedUses | null>(null)
  useEffect(() => {
    const isCurrent = guard.start()
    readParts(application_id, (part) => isCurrent() && setState(part), isCurrent).catch(handleBackgroundError)
    return () => void guard.start()
  }, [application_id, guard])
  return state
}

async function readParts(
  application_id: string,
  show: (part: LoggedUses) => void,
  isCurrent: () => boolean,
): Promise<void> {
  let uses: readonly ApplicationUse[] = []
  let since: string | null = null
  let before: number | null = null
  let until = ''
  for (let part = 1; part <= MAX_PARTS && isCurrent(); part++) {
    const read = await vault.access.uses({ application_id, days: USE_DAYS, before })
    uses = addUses(uses, read.uses)
    since = read.oldest_at ?? since
    before = read.next
    until ||= read.until
    const requests = uses.reduce((sum, use) => sum + use.requests, 0)
    const isLast = before === null || requests >= MAX_REQUESTS || part === MAX_PARTS
    show({ uses, requests, since, until, isReading: !isLast, isCut: before !== null })
    if (isLast) return
  }
}
