import { ActionIcon, Button } from '@mantine/core'
import { useState } from 'react'
import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { type ProxyTransform, typeOf } from '../../../shared/schemas/transform.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { History } from '../../parts/access/history.tsx'
import { useLooking } from '../../parts/access/looking.ts'
import { ConnectCode } from '../../parts/api/connect-code.tsx'
import { strings as api } from '../../parts/api/strings.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { useRunning } from '../../parts/reactors/running-off.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { Fact, Facts, Panel, Part } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { transformsOf } from './proxy-columns.tsx'
import { strings } from './strings.ts'

const t = strings.drawer
const DOTS = '••••••••'
const SHOWN = 5

type Props = {
  readonly proxy: ProxyObject
  readonly calls: readonly ExchangeSummary[]
  readonly onClose: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** One proxy: its key, where it leads, what it changes, and how a program calls it. */
export function ProxyDrawer({ proxy, calls, onClose, onEdit, onDelete }: Props) {
  const { id, name } = proxy
  const isOwner = useLooking(({ as }) => as === null)
  const dotted = Object.fromEntries(Object.keys(proxy.configuration).map((entry) => [entry, DOTS]))
  return (
    <Panel
      label={t.label}
      title={
        <>
          <Icon name="proxy" />
          <span className="clip">
            <MarkedText text={name} />
          </span>
        </>
      }
      onClose={onClose}
    >
      {isOwner && (
        <div className="actions">
          <Button
            variant="default"
            leftSection={<Icon name="play" size={14} />}
            onClick={() => go(hrefOf('proxies', null, { view: 'try', proxy: id }))}
          >
            {t.tryIt}
          </Button>
          <Button variant="default" leftSection={<Icon name="pencil" size={14} />} onClick={onEdit}>
            {t.edit} <Key of="e" />
          </Button>
          <Button variant="default" leftSection={<Icon name="trash" size={14} />} onClick={onDelete}>
            {t.remove}
          </Button>
        </div>
      )}
      <About proxy={proxy} />
      <Part title={t.configuration}>
        <Configuration entries={proxy.configuration} />
      </Part>
      {(['request', 'response'] as const).map((side) => (
        <Part key={side} title={t[side]}>
          <Transforms transforms={transformsOf(proxy, side)} />
        </Part>
      ))}
      <Part title={t.connect}>
        <ConnectCode
          label={t.connect}
          request={(base) => ({
            method: 'POST',
            url: `${base}/proxy`,
            key: api.keyHint,
            headers: { 'SVC-PROXY-KEY': proxy.key },
            body: { number: "{{ <token id> | json: '$.number' }}" },
          })}
        />
      </Part>
      {isOwner && (
        <Part title={t.calls}>
          <Calls id={id} calls={calls} />
        </Part>
      )}
      {isOwner && (
        <Part title={t.history}>
          <History id={id} />
        </Part>
      )}
      <Part title={t.json}>
        <JsonView value={{ ...proxy, configuration: dotted }} what={t.json} />
      </Part>
    </Panel>
  )
}

function About({ proxy }: Pick<Props, 'proxy'>) {
  const actor = useActorName()
  const { id, key, destination_url, require_auth, application_id, disable_detokenization } = proxy
  return (
    <Part title={t.facts}>
      <Facts>
        <Fact name={t.key}>
          <span className="mono">{key}</span> <CopyButton value={key} what="key" />
          <p className="part-help">{t.keyHelp}</p>
        </Fact>
        <Fact name={t.destination}>
          <span className="mono">
            <MarkedText text={destination_url} />
          </span>
        </Fact>
        <Fact name={t.auth}>{require_auth ? t.authRequired : t.authNot}</Fact>
        <Fact name={t.application}>
          {application_id === undefined ? t.noApplication : <MarkedText text={actor(application_id)} />}
        </Fact>
        <Fact name={t.plain}>{disable_detokenization ? t.isPlain : t.isEvaluated}</Fact>
        <Fact name={t.id}>
          <span className="mono">{id}</span> <CopyButton value={id} what="id" />
        </Fact>
        <Fact name={t.created}>
          <Time at={proxy.created_at} />
        </Fact>
        {proxy.modified_at !== undefined && (
          <Fact name={t.modified}>
            <Time at={proxy.modified_at} />
          </Fact>
        )}
      </Facts>
    </Part>
  )
}

function Configuration({ entries }: { entries: Readonly<Record<string, string>> }) {
  const [revealed, setRevealed] = useState<readonly string[]>([])
  const all = Object.entries(entries)
  if (all.length === 0) return <span className="faint">{t.noConfiguration}</span>
  return (
    <Facts>
      {all.map(([name, value]) => {
        const isShown = revealed.includes(name)
        return (
          <Fact key={name} name={name}>
            <span className="proxy-entry">
              <span className="mono">
                <MarkedText text={isShown ? value : DOTS} />
              </span>
              <ActionIcon
                size={22}
                aria-label={isShown ? t.hide(name) : t.reveal(name)}
                onClick={() =>
                  setRevealed(isShown ? revealed.filter((each) => each !== name) : [...revealed, name])
                }
              >
                <Icon name={isShown ? 'eye-off' : 'eye'} size={14} />
              </ActionIcon>
            </span>
          </Fact>
        )
      })}
    </Facts>
  )
}

function Transforms({ transforms }: { transforms: readonly ProxyTransform[] }) {
  const isRunning = useRunning()
  if (transforms.length === 0) return <span className="faint">{t.noTransforms}</span>
  const lines = transforms.map((transform, at) => ({ at, transform }))
  return (
    <ol className="transform-facts">
      {lines.map(({ at, transform }) => (
        <li key={at}>
          {strings.form.types[typeOf(transform)]}{' '}
          <span className="mono dim">
            <MarkedText
              text={[
                transform.options?.location,
                transform.options?.value,
                transform.options?.identifier,
                transform.expression,
              ]
                .filter(Boolean)
                .join(' · ')}
            />
          </span>
          {typeOf(transform) === 'code' && isRunning === false && <p className="part-help">{t.codeOff}</p>}
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
      <Facts>
        {own.slice(0, SHOWN).map((call) => (
          <Fact key={call.id} name={<Time at={call.created_at} />}>
            <button
              type="button"
              className="unstyled link mono"
              onClick={() => go(hrefOf('proxies', null, { view: 'exchanges', exchange: call.id }))}
            >
              {call.method} <MarkedText text={call.path} />
            </button>{' '}
            {call.status !== null && <StatusChip status={call.status} />}
          </Fact>
        ))}
      </Facts>
      <button
        type="button"
        className="unstyled link"
        onClick={() => go(hrefOf('proxies', null, { view: 'exchanges' }))}
      >
        {t.all}
      </button>
    </>
  )
}
