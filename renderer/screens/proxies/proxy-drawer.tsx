import { useState } from 'react'
import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { getTransformType, type ProxyTransform } from '../../../shared/schemas/transform.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { goTo } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { getState } from '../../parts/reactors/get-state.tsx'
import { useRunning } from '../../parts/reactors/running-off.tsx'
import {
  Copyable,
  getStamps,
  PanelTitle,
  RecordSections,
} from '../../parts/resource-screen/drawer-sections.tsx'
import type { DrawerActions } from '../../parts/resource-screen/resource-list.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './proxies.module.css'
import { getTransforms } from './proxy-columns.tsx'
import { strings } from './strings.ts'

const t = strings.drawer
const REDACTED = '••••••••'
const MAX_CALLS = 5

type Props = DrawerActions & {
  readonly proxy: ProxyObject
  readonly calls: readonly ExchangeSummary[]
}

/** One proxy: its key, destination and transforms, and how a program calls it. */
export function ProxyDrawer({ proxy, calls, onClose, onEdit, onDelete }: Props) {
  const { id, name } = proxy
  const isOwner = useIsOwner()
  // SECURITY: `requested` repeats the configuration.
  const { requested: _, ...shown } = proxy
  const redacted = Object.fromEntries(Object.keys(proxy.configuration).map((entry) => [entry, REDACTED]))
  return (
    <Panel label={t.label} title={<PanelTitle icon="proxy" name={name} />} onClose={onClose}>
      {isOwner && (
        <div className={panelStyles.actions}>
          <ActionButton
            icon="play"
            label={t.tryIt}
            onClick={goTo('proxies', null, { view: 'try', proxy: id })}
          />
          <ActionButton icon="pencil" label={t.edit} shortcut="e" onClick={onEdit} />
          <ActionButton icon="trash" label={t.remove} onClick={onDelete} />
        </div>
      )}
      <About proxy={proxy} />
      <PanelSection title={t.configuration}>
        <Configuration entries={proxy.configuration} />
      </PanelSection>
      {(['request', 'response'] as const).map((side) => (
        <PanelSection key={side} title={t[side]}>
          <Transforms transforms={getTransforms(proxy, side)} />
        </PanelSection>
      ))}
      <PanelSection title={t.connect}>
        <RequestSnippet
          request={{
            method: 'POST',
            path: '/proxy',
            key: api.keyHint,
            headers: { 'SVC-PROXY-KEY': proxy.key },
            body: { number: "{{ <token id> | json: '$.number' }}" },
          }}
        />
      </PanelSection>
      {isOwner && (
        <PanelSection title={t.calls}>
          <Calls id={id} calls={calls} />
        </PanelSection>
      )}
      <RecordSections id={id} value={{ ...shown, configuration: redacted }} />
    </Panel>
  )
}

function About({ proxy }: Pick<Props, 'proxy'>) {
  const actor = useActorName()
  const { id, key, destination_url, require_auth, application_id, disable_detokenization } = proxy
  return (
    <PanelSection title={t.facts}>
      <Properties
        of={{
          [t.key]: (
            <>
              <Copyable value={key} what="key" />
              <p className="note">{t.keyHelp}</p>
            </>
          ),
          [t.destination]: <MarkedSpan text={destination_url} />,
          [t.auth]: require_auth ? t.authRequired : t.authNot,
          [t.application]: application_id === undefined ? t.noApplication : actor(application_id),
          [t.plain]: disable_detokenization ? t.isPlain : t.isEvaluated,
          ...getState(proxy),
          [t.id]: <Copyable value={id} />,
          ...getStamps(proxy),
        }}
      />
    </PanelSection>
  )
}

function Configuration({ entries }: { entries: Readonly<Record<string, string>> }) {
  const [revealed, setRevealed] = useState<readonly string[]>([])
  const all = Object.entries(entries)
  if (all.length === 0) return <span className="faint">{t.noConfiguration}</span>
  return (
    <PropertyList>
      {all.map(([name, value]) => {
        const isRevealed = revealed.includes(name)
        return (
          <PropertyRow key={name} name={name}>
            <span className={styles.entry}>
              <MarkedSpan text={isRevealed ? value : REDACTED} />
              <IconButton
                icon={isRevealed ? 'eye-off' : 'eye'}
                size={22}
                label={isRevealed ? t.hide(name) : t.reveal(name)}
                onClick={() =>
                  setRevealed(isRevealed ? revealed.filter((each) => each !== name) : [...revealed, name])
                }
              />
            </span>
          </PropertyRow>
        )
      })}
    </PropertyList>
  )
}

function Transforms({ transforms }: { transforms: readonly ProxyTransform[] }) {
  const isRunning = useRunning()
  if (transforms.length === 0) return <span className="faint">{t.noTransforms}</span>
  const lines = transforms.map((transform, at) => ({ at, transform }))
  return (
    <ol className={styles.transformFacts}>
      {lines.map(({ at, transform }) => (
        <li key={at}>
          {strings.form.types[getTransformType(transform)]}{' '}
          <MarkedSpan
            className="mono dim"
            text={[
              transform.options?.location,
              transform.options?.value,
              transform.options?.identifier,
              transform.expression,
            ]
              .filter(Boolean)
              .join(' · ')}
          />
          {getTransformType(transform) === 'code' && isRunning === false && (
            <p className="note">{t.codeOff}</p>
          )}
        </li>
      ))}
    </ol>
  )
}

function Calls({ id, calls }: Pick<Props, 'calls'> & { id: string }) {
  const own = calls.filter(({ proxy_id }) => proxy_id === id)
  return (
    <>
      {own.length === 0 && <span className="faint">{t.noCalls}</span>}
      <PropertyList>
        {own.slice(0, MAX_CALLS).map((call) => (
          <PropertyRow key={call.id} name={<Time at={call.created_at} />}>
            <LinkButton
              to={toHref('proxies', null, { view: 'exchanges', exchange: call.id })}
              mono
              label={
                <>
                  {call.method} <MarkedText text={call.path} />
                </>
              }
            />{' '}
            {call.status !== null && <StatusChip status={call.status} />}
          </PropertyRow>
        ))}
      </PropertyList>
      <LinkButton to={toHref('proxies', null, { view: 'exchanges' })} label={t.all} />
    </>
  )
}
