import { PasswordInput, Select } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { loadApplications } from '../../parts/access/application-names.ts'
import { useProxies } from '../../parts/access/resource-lists.ts'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { TokenPicker } from '../../parts/tokens/token-picker.tsx'
import { MonoArea, MonoInput } from '../../ui/fields/mono-fields.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { StatusChip } from '../../ui/status-chip.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { KeepExchangesNotice, useKeepExchanges } from './keep-exchanges-notice.tsx'
import styles from './proxies.module.css'
import { strings } from './strings.ts'
import {
  createTokenBody,
  createTryKey,
  findExchange,
  type SentCall,
  sendCall,
  suggestPath,
  type TryDraft,
  useTryState,
} from './try-store.ts'

const t = strings.try
const ECHO = 'echo'
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Initial values of the form: a proxy, and the method, path and trace ID of the call in a log record. */
type TryProxyProps = {
  readonly proxy?: string
  readonly method?: string
  readonly path?: string
  readonly trace?: string
}

/** Sends a call to a proxy and shows the program's request, the outgoing request and the response. */
export function TryProxy({ proxy: proxy_id, method, path, trace }: TryProxyProps) {
  const { rows: proxies } = useProxies()
  const [sentCall, setSentCall] = useState<SentCall | null>(null)
  const findProxy = ({ proxy }: TryDraft) => proxies.find(({ id }) => id === proxy)
  const getPath = (draft: TryDraft) => draft.path ?? suggestPath(findProxy(draft)?.destination_url)
  const form = useForm({
    initial: (): TryDraft => ({
      proxy: proxy_id ?? null,
      method: methods.find((each) => each === method) ?? 'POST',
      path: path?.replace(/^\/proxy/, '') ?? null,
      body: trace === undefined ? '{\n  "amount": 1000\n}' : '',
    }),
    send: (draft) => sendCall(draft, { path: getPath(draft), proxy_key: findProxy(draft)?.key ?? null }),
    onDone: setSentCall,
  })
  const { values: draft, change } = form
  const repeated = useRepeatedBody(trace, (body) => change({ body }))
  const first = useRef<HTMLInputElement>(null)
  useKeys({ 'mod+enter': () => void form.submit() })
  // Whoever switches views by keyboard stays there.
  useEffect(() => {
    if (!document.activeElement?.closest('[role="radiogroup"]')) first.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={styles.body}>
      <form className={styles.try} noValidate onSubmit={form.submit} aria-label={t.title}>
        <Select
          label={t.proxy}
          searchable
          data={[
            ...proxies.map(({ id, name, destination_url }) => ({
              value: id,
              label: `${markText(name)}: ${destination_url}`,
            })),
            { value: ECHO, label: t.echo },
          ]}
          value={draft.proxy ?? ECHO}
          onChange={(value) => change({ proxy: value === ECHO ? null : value })}
        />
        <div className={styles.tryLine}>
          <Select
            label={t.method}
            data={[...methods]}
            value={draft.method}
            onChange={(value) => change({ method: methods.find((each) => each === value) ?? 'POST' })}
          />
          <MonoInput
            ref={first}
            label={t.path}
            value={getPath(draft)}
            onChange={(event) => change({ path: event.currentTarget.value })}
            error={form.errors.path}
          />
        </div>
        <TokenPicker
          label={t.token}
          onPick={(token) =>
            change({ body: createTokenBody(token), ...(draft.method === 'GET' && { method: 'POST' }) })
          }
        />
        <KeyInput />
        {draft.method !== 'GET' && (
          <MonoArea
            className={styles.tryWide}
            label={t.body}
            description={repeated && t.repeated[repeated]}
            {...form.text('body')}
          />
        )}
        <div className={styles.tryWide}>
          <ActionButton
            variant="filled"
            icon="play"
            label={t.send}
            shortcut="mod+enter"
            type="submit"
            loading={form.state === 'running'}
          />
        </div>
        <div className={styles.tryWide}>
          <Problem of={form.problem} />
        </div>
      </form>
      {sentCall?.rejection === null ? (
        <KeepExchangesNotice text={t.wasNotKept} action={t.keepAndSend} onKept={form.submit} />
      ) : (
        <KeepExchangesNotice text={`${t.notKept} ${strings.keeping.text}`} />
      )}
      <div className={styles.tryResult} aria-live="polite">
        {sentCall ? <Result key={sentCall.trace_id} call={sentCall} /> : <p className="faint">{t.idle}</p>}
      </div>
    </div>
  )
}

/** Takes over the body of a recorded call if it was saved. Returns what to say about it. */
function useRepeatedBody(
  trace_id: string | undefined,
  onBody: (text: string) => void,
): keyof typeof t.repeated | null {
  const [known, setKnown] = useState<keyof typeof t.repeated | null>(null)
  const receive = useRef(onBody)
  useEffect(() => {
    if (trace_id === undefined) return
    findExchange({ trace_id }).then((exchange) => {
      const { text = null, omitted, cut } = exchange?.sent.body ?? { cut: false }
      if (text !== null && !cut) receive.current(text)
      if (omitted !== 'none') setKnown(text === null || cut ? 'lost' : 'saved')
    }, handleBackgroundError)
  }, [trace_id])
  return known
}

/** The status of the call, replaced by its requests and responses once the call is saved. */
function Result({ call }: { call: SentCall }) {
  const { status, rejection, trace_id } = call
  const { key } = useTryState()
  const keepsExchanges = useKeepExchanges()
  const exchange = useLoaded(() => findExchange(call), { about: trace_id })
  const { value, load } = exchange
  const isStored = value !== null
  useEffect(() => (isStored ? undefined : followChanges(['exchange'], load, 50)), [isStored, load])
  if (value) return <ExchangeView exchange={value} />
  const reason = status === 401 && key === '' ? t.noKey : rejection
  return (
    <>
      <p>
        <StatusChip status={status} /> {rejection === null ? t.answered(status) : t.rejected}{' '}
        <LinkButton
          to={getRecordsHref([{ field: 'trace', value: trace_id }])}
          label={strings.exchange.record}
        />
      </p>
      <p className="dim">{rejection === null ? keepsExchanges && t.waiting : reason}</p>
      <Problem of={exchange.problem} />
    </>
  )
}

function KeyInput() {
  const { key } = useTryState()
  const { runAction, problem, state } = useAction()
  const createKey = () =>
    runAction(async () => {
      await createTryKey()
      await loadApplications()
      showToast(t.newKeyDone)
    })
  return (
    <div>
      <div className={styles.tryKey}>
        <PasswordInput
          label={t.key}
          placeholder={t.keyHelp}
          autoComplete="off"
          value={key}
          onChange={(event) => useTryState.setState({ key: event.currentTarget.value.trim() })}
        />
        {key === '' && <ActionButton label={t.newKey} loading={state === 'running'} onClick={createKey} />}
      </div>
      <Problem of={problem} />
    </div>
  )
}
