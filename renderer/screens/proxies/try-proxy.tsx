import { Button, PasswordInput, Select, Textarea, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { loadApplications } from '../../parts/access/application-names.ts'
import { followChanges } from '../../parts/connection/follow.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { useAct } from '../../parts/forms/use-act.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { useProxies } from '../../parts/proxies/proxies-store.ts'
import { TokenPicker } from '../../parts/tokens/token-picker.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { markedText } from '../../ui/text/marked-text.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { Keeping, useKeeping } from './keeping.tsx'
import { strings } from './strings.ts'
import {
  bodyWith,
  exchangeOf,
  makeKey,
  sendCall,
  suggestedPath,
  type Tried,
  type TryDraft,
  useTrying,
} from './try-store.ts'

const t = strings.try
const ECHO = 'echo'
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What to start with: a proxy, and the request of a record. */
type Start = {
  readonly proxy_id: string | undefined
  readonly method: string | undefined
  readonly path: string | undefined
}

/** Sends a call to a proxy and shows its three sides. */
export function TryProxy({ proxy_id, method, path }: Start) {
  const { rows: proxies } = useProxies()
  const [tried, setTried] = useState<Tried | null>(null)
  const proxyOf = ({ proxy }: TryDraft) => proxies.find(({ id }) => id === proxy)
  const pathOf = (draft: TryDraft) => draft.path ?? suggestedPath(proxyOf(draft)?.destination_url)
  const form = useForm({
    initial: (): TryDraft => ({
      proxy: proxy_id ?? null,
      method: methods.find((each) => each === method) ?? 'POST',
      path: path?.replace(/^\/proxy/, '') ?? null,
      body: '{\n  "amount": 1000\n}',
    }),
    send: (draft) => sendCall(draft, { path: pathOf(draft), proxy_key: proxyOf(draft)?.key ?? null }),
    done: setTried,
  })
  const { values: draft, change } = form
  const listener = useSession((session) => session.status?.listener.state)
  return (
    <div className="proxies-body">
      <form className="try" noValidate onSubmit={form.submit} aria-label={t.title}>
        <Select
          label={t.proxy}
          searchable
          allowDeselect={false}
          data={[
            ...proxies.map(({ id, name, destination_url }) => ({
              value: id,
              label: `${markedText(name)}: ${destination_url}`,
            })),
            { value: ECHO, label: t.echo },
          ]}
          value={draft.proxy ?? ECHO}
          onChange={(value) => change({ proxy: value === ECHO ? null : value })}
        />
        <div className="try-line">
          <Select
            label={t.method}
            allowDeselect={false}
            data={[...methods]}
            value={draft.method}
            onChange={(value) => change({ method: methods.find((each) => each === value) ?? 'POST' })}
          />
          <TextInput
            label={t.path}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={pathOf(draft)}
            onChange={(event) => change({ path: event.currentTarget.value })}
            error={form.errors.path}
          />
        </div>
        <TokenPicker
          label={t.token}
          onPick={(token) =>
            change({ body: bodyWith(token), ...(draft.method === 'GET' && { method: 'POST' }) })
          }
        />
        <KeyInput />
        {draft.method !== 'GET' && (
          <Textarea
            className="try-wide"
            label={t.body}
            autosize
            minRows={4}
            maxRows={14}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            {...form.text('body')}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.submit()
            }}
          />
        )}
        {listener !== 'on' && (
          <div className="try-wide">
            <span className="dim">{t.listenerOff}</span>{' '}
            <Button size="compact-xs" variant="default" onClick={() => startListener()}>
              {t.start}
            </Button>
          </div>
        )}
        <div className="try-wide">
          <Button
            type="submit"
            loading={form.state === 'running'}
            leftSection={<Icon name="play" size={14} />}
          >
            {t.send}
          </Button>
        </div>
        <div className="try-wide">
          <Problem of={form.problem} />
        </div>
      </form>
      <Keeping text={`${t.notKept} ${strings.keeping.text}`} />
      <div className="try-result" aria-live="polite">
        {tried ? <Result key={tried.trace_id} tried={tried} /> : <p className="faint">{t.idle}</p>}
      </div>
    </div>
  )
}

/** The three sides, as soon as the call is kept. */
function Result({ tried }: { tried: Tried }) {
  const isKept = useKeeping()
  const { key } = useTrying()
  const kept = useLoaded(() => exchangeOf(tried), { about: tried.trace_id })
  const { value, load } = kept
  const isThere = value !== null
  useEffect(() => (isThere ? undefined : followChanges(['exchange'], load, 50)), [isThere, load])
  if (value) return <ExchangeView exchange={value} />
  const isRefused = tried.status === 401 || tried.status === 403 || tried.status === 400
  return (
    <p>
      <StatusChip status={tried.status} /> {t.answered(tried.status)}{' '}
      <span className="dim">{isRefused && (tried.status === 401 && key === '' ? t.noKey : t.refused)}</span>
      {!isRefused && isKept && <span className="faint">{t.waiting}</span>}
      <Problem of={kept.problem} />
    </p>
  )
}

function KeyInput() {
  const { key } = useTrying()
  const { act, problem, state } = useAct()
  const make = () =>
    act(async () => {
      await makeKey()
      await loadApplications()
      toast(t.newKeyDone)
    })
  return (
    <div>
      <div className="try-key">
        <PasswordInput
          label={t.key}
          placeholder={t.keyHelp}
          autoComplete="off"
          value={key}
          onChange={(event) => useTrying.setState({ key: event.currentTarget.value.trim() })}
        />
        {key === '' && (
          <Button variant="default" loading={state === 'running'} onClick={make}>
            {t.newKey}
          </Button>
        )}
      </div>
      <Problem of={problem} />
    </div>
  )
}
