import { Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { HostStatus } from '../../../shared/host.ts'
import type { Json } from '../../../shared/json.ts'
import { curlOf } from '../../parts/api/snippets.ts'
import { useReach } from '../../parts/connection/reach.ts'
import { onLog } from '../../parts/connection/session.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving, useShownOnce } from '../../parts/navigation/unsaved.ts'
import { endFirstRun, useFirstRun } from '../../parts/vaults/first-run-store.ts'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Code } from '../../ui/text/code.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { strings } from './strings.ts'

const t = strings.request
const kinds = ['private', 'public', 'management'] as const
type Kind = (typeof kinds)[number]
const body = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
}

/** What the first request led to, and where to see it. */
type Came = { readonly href: string; readonly what: 'made' | 'arrived' | 'refused' }

/** Stores a test card, here or from a terminal, and waits for the token to arrive. */
export function FirstRequest({ status }: { status: HostStatus }) {
  const keys = useFirstRun((state) => state.keys)
  const kept = {
    management: useShownOnce(keys?.management ?? null),
    private: useShownOnce(keys?.private ?? null),
    public: useShownOnce(keys?.public ?? null),
  }
  const [answer, setAnswer] = useState<object | null>(null)
  const { act, problem } = useAct()
  const [came, setCame] = useState<Came | null>(null)

  useEffect(
    () =>
      onLog((records) => {
        const request = records.findLast(({ actor_type }) => !['owner', 'vault'].includes(actor_type))
        if (!request) return
        const { id, entity_type, status, entity_id } = request
        if (entity_type === 'token' && status === 201 && entity_id !== null) {
          setCame({ href: hrefOf('tokens', entity_id), what: 'arrived' })
        } else if (status >= 400) {
          setCame({ href: hrefOf('requests', id), what: 'refused' })
        }
      }),
    [],
  )

  const run = () =>
    act(async () => {
      const made = await vault.tokens.create(body)
      setAnswer(made)
      setCame({ href: hrefOf('tokens', made.id), what: 'made' })
    })

  function finish(href: string) {
    leaving(() => {
      endFirstRun()
      go(href)
    })
  }

  const { listener } = status
  const gone = useReach((reach) => reach.gone !== null)
  const waiting = listener.state === 'on' && !gone
  return (
    <>
      <h1>{t.title}</h1>
      <p className="first-intro">{t.text}</p>
      <section className="first-part">
        <Group justify="space-between" mb={answer ? 10 : 0}>
          <h2>{t.inWindow}</h2>
          <Button variant="default" leftSection={<Icon name="play" size={14} />} onClick={run}>
            {t.run}
          </Button>
        </Group>
        {answer && <JsonView value={answer as { [key: string]: Json }} what="answer" />}
        <Problem of={problem} />
      </section>
      <InTerminal listener={listener} appKey={keys?.private} onCopied={kept.private.keep} />
      {keys && <FirstKeys keys={keys} onCopied={(kind) => kept[kind].keep()} />}
      <Group justify="flex-end">
        <span
          className={came && came.what !== 'refused' ? 'live live-here' : 'live'}
          role="status"
          data-waiting={came ? undefined : ''}
        >
          {(came ?? waiting) && <span className="live-dot" />}
          {came ? t[came.what] : waiting && t.waiting}
        </span>
        {came && (
          <Button size="sm" variant="default" onClick={() => finish(came.href)}>
            {came.what === 'refused' ? t.why : t.open}
          </Button>
        )}
        <Button size="sm" onClick={() => finish(hrefOf(came ? 'tokens' : 'home'))}>
          {t.done}
        </Button>
      </Group>
    </>
  )
}

type TerminalProps = {
  readonly listener: HostStatus['listener']
  readonly appKey: string | undefined
  readonly onCopied: () => void
}

/** The same request as a curl command, once the listener is on. */
function InTerminal({ listener, appKey, onCopied }: TerminalProps) {
  return (
    <section className="first-part">
      <h2>{t.inTerminal}</h2>
      {listener.state !== 'on' && (
        <>
          <Group justify="space-between" wrap="nowrap">
            <span className="dim">{t.startFirst}</span>
            <Button onClick={() => startListener()} flex="none">
              {t.start}
            </Button>
          </Group>
          {listener.state === 'refused' && <Failure>{listener.reason}</Failure>}
        </>
      )}
      {listener.state === 'on' && appKey !== undefined && (
        <>
          <Code
            text={curlOf({ method: 'POST', url: `${listener.url}/tokens`, key: appKey, body })}
            what={t.curl}
            secret
            wrap
            onCopied={onCopied}
          />
          <p className="first-note">{t.keyNote}</p>
        </>
      )}
    </section>
  )
}

type KeysProps = {
  readonly keys: Readonly<Record<Kind, string>>
  readonly onCopied: (kind: Kind) => void
}

/** The keys of the first applications, shown only once. */
function FirstKeys({ keys, onCopied }: KeysProps) {
  return (
    <section className="first-part">
      <Group justify="space-between" mb={4}>
        <h2>{t.keys}</h2>
        <CopyButton
          value={kinds.map((kind) => `${kind.toUpperCase()}_KEY=${keys[kind]}`).join('\n')}
          what={t.allKeys}
          label={t.copyAll}
          secret
          onCopied={() => {
            for (const kind of kinds) onCopied(kind)
          }}
        />
      </Group>
      <p className="first-note first-keys-note">{t.keysNote}</p>
      {kinds.map((kind) => (
        <div key={kind} className="first-key">
          <span className="dim">{t.keyNames[kind]}</span>
          <Code text={keys[kind]} what={t.keyNames[kind]} secret onCopied={() => onCopied(kind)} />
        </div>
      ))}
    </section>
  )
}
