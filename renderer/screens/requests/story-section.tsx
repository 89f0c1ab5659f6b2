import type { ReactNode } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { PanelSection } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { getVaultNow } from '../../ui/time/clock.ts'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { isProxiedCall } from './ledger-lines.ts'
import { getOwnDecision, isUnmaskedId } from './record.ts'
import styles from './requests.module.css'
import { readStory, type Story } from './story.ts'
import { strings } from './strings.ts'

const t = strings.story
const MAX_TOKENS = 5
const MAX_EVENTS = 20

/** A step of a request, with the time that it took, as far as it is stored. */
type Step = {
  readonly key: string
  readonly title: string
  readonly detail: ReactNode
  /** In epoch ms; null if not stored. */
  readonly from: number | null
  readonly ms: number | null
  readonly isBad?: boolean
}

/** What happened to a request, in order: only what the log, saved calls, runs and deliveries hold. */
export function StorySection({ record }: { record: FullLog }) {
  const isKnown = isUnmaskedId(record.trace_id)
  const { value } = useLoaded(async () => (isKnown ? readStory(record, vault) : null), { about: record.id })
  if (!isKnown) return <PanelSection title={t.title}>{t.masked}</PanelSection>
  if (!value) return null
  const steps = toSteps(value)
  const started = Math.min(...steps.flatMap(({ from }) => from ?? []))
  const ended = Math.max(...steps.flatMap(({ from, ms }) => (from === null ? [] : from + (ms ?? 0))))
  const lacking = listLacking(record, value)
  return (
    <PanelSection title={t.title}>
      <ol className={styles.story}>
        {steps.map((step) => (
          <li key={step.key} data-bad={step.isBad || undefined}>
            <div className={styles.storyLine}>
              <strong>{step.title}</strong>
              <span className={styles.storyDetail}>{step.detail}</span>
              {step.ms !== null && <span className={styles.storyTime}>{formatDuration(step.ms)}</span>}
            </div>
            <Bar step={step} started={started} span={Math.max(1, ended - started)} />
          </li>
        ))}
      </ol>
      {lacking.map((text) => (
        <p key={text} className="note">
          {text}
        </p>
      ))}
    </PanelSection>
  )
}

/** The time of a step within the whole request. */
function Bar({ step: { from, ms }, started, span }: { step: Step; started: number; span: number }) {
  if (from === null || ms === null) return null
  const left = (100 * (from - started)) / span
  return (
    <div className={styles.storyBar} aria-hidden="true">
      <i style={{ left: `${left}%`, width: `max(2px, ${Math.min(100 - left, (100 * ms) / span)}%)` }} />
    </div>
  )
}

function toSteps(story: Story): readonly Step[] {
  const { records } = story
  const outcome = records.at(-1)
  const isProxied = outcome !== undefined && isProxiedCall(outcome)
  return [
    ...records.filter((each) => !isProxied || each !== outcome).flatMap(toDecision),
    ...toTokenStep(story, isProxied),
    ...story.runs.map((run): Step => {
      const from = Date.parse(run.created_at) - run.duration_ms
      const href =
        run.reactor_id === null
          ? toHref('proxies', run.proxy_id)
          : toHref('reactors', run.reactor_id, { run: run.id })
      const detail = (
        <>
          <StatusChip status={run.status} /> <LinkButton to={href} label={t.run(run.kind)} />
        </>
      )
      return { key: run.id, title: t.ran, detail, from, ms: run.duration_ms, isBad: run.status >= 400 }
    }),
    ...(isProxied ? toCallSteps(story, outcome) : []),
    ...toEventSteps(story),
  ]
}

/** The beginning of the note of a call that a fault answered instead of the vault. */
const FAULT = 'fault '

function toDecision(record: FullLog): readonly Step[] {
  const text = getOwnDecision(record)
  if (text === undefined) return []
  const { id, status, duration_ms, created_at } = record
  const from = Date.parse(created_at) - duration_ms
  const isBad = status >= 400
  const bad = status >= 500 ? t.failed : t.refused
  const isFault = record.detail === undefined && text.startsWith(FAULT)
  const detail = isFault ? (
    <LinkButton to={toHref('settings', 'faults')} label={text} />
  ) : (
    <MarkedText text={text} />
  )
  return [
    {
      key: id,
      title: isBad ? bad : record.action.startsWith('proxies.transform') ? t.transformed : t.decided,
      detail,
      from,
      ms: duration_ms || null,
      isBad,
    },
  ]
}

/** The tokens that the request used, which its records or its saved call name. */
function toTokenStep({ records, exchange }: Story, isProxied: boolean): readonly Step[] {
  const outcome = records.at(-1)
  const named = records
    .filter(({ entity_type, status }) => status < 400 && (entity_type === 'token' || isProxied))
    .flatMap((each) => (isProxied && each === outcome ? [] : each.entity_ids))
  const ids = [...new Set(named)].filter((id) => isUnmaskedId(id) && id !== exchange?.proxy_id)
  if (ids.length === 0) return []
  const detail = (
    <>
      {ids.slice(0, MAX_TOKENS).map((id) => (
        <span key={id} className={styles.recordEntity}>
          <LinkButton to={toHref('tokens', id)} mono label={id} />
        </span>
      ))}
      {ids.length > MAX_TOKENS && (
        <span className="faint">{strings.drawer.more(ids.length - MAX_TOKENS)}</span>
      )}
    </>
  )
  return [{ key: 'tokens', title: t.tokens, detail, from: null, ms: null }]
}

const ANSWERED = 'answered by '

/** A proxied call went out and came back: from the saved call, or else from the note of the last record. */
function toCallSteps({ exchange }: Story, outcome: FullLog): readonly Step[] {
  const { note, status, created_at, duration_ms } = outcome
  const host = exchange?.host ?? (note?.startsWith(ANSWERED) ? note.slice(ANSWERED.length) : undefined)
  if (host === undefined) return toDecision(outcome)
  const answered = exchange ? exchange.status : status
  const ended = Date.parse(created_at)
  const ms = exchange?.duration_ms ?? duration_ms
  const saved = exchange && toHref('proxies', null, { view: 'exchanges', exchange: exchange.id })
  return [
    {
      key: 'out',
      title: t.wentOut,
      detail: (
        <>
          <span className="mono">{exchange ? `${exchange.method} ${host}${exchange.path}` : host}</span>{' '}
          {saved && <LinkButton to={saved} label={t.exchange} />}
        </>
      ),
      from: null,
      ms: null,
    },
    {
      key: 'back',
      title: t.cameBack,
      detail:
        answered === null ? <span className="faint">{t.noAnswer}</span> : <StatusChip status={answered} />,
      from: ended - ms,
      ms,
      isBad: answered === null || answered >= 400,
    },
    // What Coffer made of the response, unless it only passed it on.
    ...(getOwnDecision(outcome)?.startsWith(ANSWERED) ? [] : toDecision(outcome)),
  ]
}

function toEventSteps({ deliveries }: Story): readonly Step[] {
  const shown = deliveries.slice(0, MAX_EVENTS)
  const types = [...new Set(shown.map(({ type }) => type))]
  if (types.length === 0) return []
  const at = Date.parse(shown[0]?.created_at ?? '')
  return [
    {
      key: 'events',
      title: t.events,
      detail: <span className="mono">{types.join(', ')}</span>,
      from: at,
      ms: null,
    },
    ...shown.map((delivery): Step => {
      const { id, webhook_id, type, state, attempts, ended_at } = delivery
      const href = toHref('webhooks', webhook_id, { view: 'deliveries', delivery: id })
      const from = Date.parse(delivery.created_at)
      const detail = (
        <>
          <LinkButton to={href} label={type} /> <span className="faint">{t.attempts(attempts)}</span>
        </>
      )
      const ms = ended_at === null ? null : Date.parse(ended_at) - from
      return {
        key: `delivery ${id}`,
        title: t.delivery[state],
        detail,
        from,
        ms,
        isBad: state === 'given_up',
      }
    }),
  ]
}

const WEEK_MS = 7 * 24 * 3_600_000

/** Says what is not stored about a request, so that nothing is concluded from its absence. */
function listLacking(record: FullLog, { records, exchange, deliveries }: Story): readonly string[] {
  const isOld = getVaultNow() - Date.parse(record.created_at) > WEEK_MS
  return [
    ...(records.some(isProxiedCall) && !exchange ? [t.notSaved] : []),
    ...(isOld && deliveries.length === 0 ? [t.noDeliveries] : []),
    ...(deliveries.length > MAX_EVENTS ? [strings.drawer.more(deliveries.length - MAX_EVENTS)] : []),
  ]
}
