import { useEffect, useRef } from 'react'
import { formatCardTerm } from '../../../shared/card-term.ts'
import type { AgentOverview, EnrollmentStatus, InstructionStatus } from '../../../shared/schemas/agentic.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import styles from '../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../ui/row-table.tsx'
import screenStyles from '../../ui/screen.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings as t } from './strings.ts'

const c = t.columns
const tones: Partial<Record<EnrollmentStatus | InstructionStatus, Tone>> = {
  active: 'green',
  approved: 'green',
  pending_verification: 'amber',
  failed: 'red',
}

/** The agents, their enrollments with the next step, and the instructions of the open agent. */
export function Agents() {
  const { id } = useRoute()
  const overview = useLoaded(() => vault.agents.getOverview(), { follows: ['agent', 'enrollment'] })
  return (
    <>
      <div className={`${screenStyles.head} ${screenStyles.headLine}`}>
        <h1>{t.title}</h1>
      </div>
      <LoadedView of={overview}>
        {({ agents, enrollments }) => {
          if (agents.length + enrollments.length === 0) return none
          const open = agents.find((each) => each.id === id)
          return (
            <div className={`${screenStyles.scroll} ${styles.root}`}>
              <h2>{t.agents}</h2>
              <DataTable
                rows={agents}
                columns={agentColumns}
                keyOf={(each) => each.id}
                isCurrent={(each) => each === open}
                none={t.noAgents}
              />
              {open && <Instructions key={open.id} agent={open} />}
              <h2>{t.enrollments}</h2>
              <DataTable
                rows={enrollments}
                columns={enrollmentColumns}
                keyOf={(each) => each.id}
                none={t.noEnrollments}
              />
              {enrollments.length === 100 && <span className="faint">{t.newest}</span>}
            </div>
          )
        }}
      </LoadedView>
    </>
  )
}

const none = (
  <NoneCreated
    icon="card"
    strings={t.empty}
    path="/agentic/agents"
    keyHint={t.empty.keyHint}
    body={{ name: 'Shopper' }}
  />
)

const agentColumns: readonly DataColumn<AgentOverview['agents'][number]>[] = [
  {
    label: c.name,
    className: styles.text,
    render: ({ id, name }) => <LinkButton to={toHref('agents', id)} label={<MarkedText text={name} />} />,
  },
  { label: c.enrollments, render: ({ enrollments }) => enrollments },
  { label: c.id, className: `mono ${styles.short}`, render: ({ id }) => id },
  { label: c.created, render: ({ created_at }) => <Time at={created_at} /> },
]

const enrollmentColumns: readonly DataColumn<AgentOverview['enrollments'][number]>[] = [
  {
    label: c.card,
    className: styles.short,
    render: ({ card }) => (
      <>
        {card.brand && formatCardTerm(card.brand)} <span className="mono">•••• {card.last4}</span>
      </>
    ),
  },
  { label: c.wallet, className: styles.text, render: (each) => <MarkedText text={each.wallet_name} /> },
  { label: c.status, render: ({ status }) => <Status of={status} /> },
  { label: c.next, render: ({ next }) => t.steps[next] },
  { label: c.id, className: `mono ${styles.short}`, render: ({ id }) => id },
  { label: c.created, render: ({ created_at }) => <Time at={created_at} /> },
]

type AgentInstruction = Awaited<ReturnType<typeof vault.instructions.list>>['data'][number]

const instructionColumns: readonly DataColumn<AgentInstruction>[] = [
  { label: c.amount, className: styles.short, render: ({ amount }) => `${amount.value} ${amount.currency}` },
  {
    label: c.description,
    className: styles.text,
    render: ({ description = '' }) => <MarkedText text={description} />,
  },
  { label: c.status, render: ({ status }) => <Status of={status} /> },
  { label: c.id, className: `mono ${styles.short}`, render: ({ id }) => id },
  { label: c.expires, render: ({ expires_at }) => expires_at && <Time at={expires_at} ahead /> },
]

function Status({ of }: { of: EnrollmentStatus | InstructionStatus }) {
  return <Chip tone={tones[of] ?? 'plain'}>{t.statuses[of]}</Chip>
}

function Instructions({ agent: { id, name } }: { readonly agent: AgentOverview['agents'][number] }) {
  const newest = useLoaded(() => vault.instructions.list({ agent_id: id, limit: 100 }), {
    follows: ['instruction', 'enrollment'],
  })
  const heading = useRef<HTMLHeadingElement>(null)
  // Many agents may be between the opened one and its instructions.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    heading.current?.scrollIntoView()
  }, [])
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        <MarkedText text={t.instructions(name)} />
      </h2>
      <LoadedView of={newest}>
        {({ data, pagination }) => (
          <>
            <DataTable
              rows={data}
              columns={instructionColumns}
              keyOf={(each) => each.id}
              none={t.noInstructions}
            />
            {pagination.has_more && <span className="faint">{t.newest}</span>}
          </>
        )}
      </LoadedView>
    </>
  )
}
