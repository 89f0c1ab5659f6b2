import { useEffect, useRef } from 'react'
import { formatCardTerm } from '../../../shared/card-term.ts'
import type { AgentOverview, EnrollmentStatus, InstructionStatus } from '../../../shared/schemas/agentic.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from '../../ui/row-table.module.css'
import { RowTable } from '../../ui/row-table.tsx'
import screenStyles from '../../ui/screen.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'

const t = strings
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
          if (agents.length + enrollments.length === 0)
            return <Empty icon="card" title={t.empty.title} text={t.empty.text} />
          const open = agents.find((each) => each.id === id)
          return (
            <div className={`${screenStyles.scroll} ${styles.root}`}>
              <h2>{t.agents}</h2>
              <AgentTable of={agents} openId={open?.id} />
              {open && <Instructions key={open.id} agent={open} />}
              <h2>{t.enrollments}</h2>
              <EnrollmentTable of={enrollments} />
            </div>
          )
        }}
      </LoadedView>
    </>
  )
}

type AgentTableProps = {
  readonly of: AgentOverview['agents']
  readonly openId: string | undefined
}

function AgentTable({ of, openId }: AgentTableProps) {
  return (
    <RowTable labels={[c.name, c.enrollments, c.id, c.created]} none={of.length === 0 && t.noAgents}>
      {of.map(({ id, name, enrollments, created_at }) => (
        <tr key={id} aria-current={id === openId || undefined}>
          <td className={styles.text}>
            <LinkButton to={toHref('agents', id)} label={<MarkedText text={name} />} />
          </td>
          <td>{enrollments}</td>
          <td className={`mono ${styles.short}`}>{id}</td>
          <td>
            <Time at={created_at} />
          </td>
        </tr>
      ))}
    </RowTable>
  )
}

function EnrollmentTable({ of }: { readonly of: AgentOverview['enrollments'] }) {
  return (
    <>
      <RowTable
        labels={[c.card, c.wallet, c.status, c.next, c.id, c.created]}
        none={of.length === 0 && t.noEnrollments}
      >
        {of.map(({ id, card, wallet_name, status, next, created_at }) => (
          <tr key={id}>
            <td className={styles.short}>
              {card.brand && formatCardTerm(card.brand)} <span className="mono">•••• {card.last4}</span>
            </td>
            <td className={styles.text}>
              <MarkedText text={wallet_name} />
            </td>
            <td>
              <Chip tone={tones[status] ?? 'plain'}>{t.statuses[status]}</Chip>
            </td>
            <td>{t.steps[next]}</td>
            <td className={`mono ${styles.short}`}>{id}</td>
            <td>
              <Time at={created_at} />
            </td>
          </tr>
        ))}
      </RowTable>
      {of.length === 100 && <span className="faint">{t.newest}</span>}
    </>
  )
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
            <RowTable
              labels={[c.amount, c.description, c.status, c.id, c.expires]}
              none={data.length === 0 && t.noInstructions}
            >
              {data.map(({ id, amount, description = '', status, expires_at }) => (
                <tr key={id}>
                  <td className={styles.short}>
                    {amount.value} {amount.currency}
                  </td>
                  <td className={styles.text}>
                    <MarkedText text={description} />
                  </td>
                  <td>
                    <Chip tone={tones[status] ?? 'plain'}>{t.statuses[status]}</Chip>
                  </td>
                  <td className={`mono ${styles.short}`}>{id}</td>
                  <td>{expires_at !== undefined && <Time at={expires_at} ahead />}</td>
                </tr>
              ))}
            </RowTable>
            {pagination.has_more && <span className="faint">{t.newest}</span>}
          </>
        )}
      </LoadedView>
    </>
  )
}
