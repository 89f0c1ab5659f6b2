import { Box, Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { LogEntry } from '../../../shared/host/events.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import type { Json } from '../../../shared/json.ts'
import { formatCurl } from '../../parts/api/snippets.ts'
import { useConnectionState } from '../../parts/connection/connection-state.ts'
import { onLog } from '../../parts/connection/session.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { confirmLeave, useOneTimeKey } from '../../parts/navigation/unsaved.ts'
import { endFirstRun, useFirstRun } from '../../parts/vaults/first-run-store.ts'
import startLayoutStyles from '../../parts/vaults/start-layout.module.css'
import { Failure } from '../../ui/failure.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Code } from '../../ui/text/code.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import styles from './first-run.module.css'
import { strings } from './strings.ts'

const t = strings.request
const kinds = ['private', 'public', 'management'] as const
type FirstRequestKind = (typeof kinds)[number]
const body = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
}

type FirstRequestOutcome = { readonly href: string; readonly what: 'made' | 'arrived' | 'refused' }

function findOutcome(records: readonly LogEntry[]): FirstRequestOutcome | null {
  const request = records.findLast(({ actor_type }) => !['owner', 'vault'].includes(actor_type))
  if (!request) return null
  const { id, entity_type, status, entity_id } = request
  if (entity_type === 'token' && status === 201 && entity_id !== null) {
    return { href: toHref('tokens', entity_id), what: 'arrived' }
  }
  return status >= 400 ? { href: toHref('requests', id), what: 'refused' } : null
}

/** Stores a test card, from this screen or from a terminal, and waits for the token. */
export function FirstRequest({ status }: { status: HostStatus }) {
  const keys = useFirstRun((state) => state.keys)
  const copied = {
    management: useOneTimeKey(keys?.management ?? null),
    private: useOneTimeKey(keys?.private ?? null),
    public: useOneTimeKey(keys?.public ?? null),
  }
  const [response, setResponse] = useState<object | null>(null)
  const { runAction, problem } = useAction()
  const [outcome, setOutcome] = useState<FirstRequestOutcome | null>(null)

  useEffect(
    () =>
      onLog((records) => {
        const found = findOutcome(records)
        if (found) setOutcome(found)
      }),
    [],
  )

  const storeTestCard = () =>
    runAction(async () => {
      const created = await vault.tokens.create(body)
      setResponse(created)
      setOutcome({ href: toHref('tokens', created.id), what: 'made' })
    })

  function finishFirstRun(href: string) {
    confirmLeave(() => {
      endFirstRun()
      navigate(href)
    })
  }

  const { listener } = status
  const isUnreachable = useConnectionState((reach) => reach.disconnection !== null)
  const isWaiting = listener.state === 'on' && !isUnreachable
  return (
    <>
      <h1>{t.title}</h1>
      <p className={startLayoutStyles.intro}>{t.text}</p>
      <section className={styles.part}>
        <Group justify="space-between" mb={response ? 10 : 0}>
          <h2>{t.inWindow}</h2>
          <ActionButton icon="play" label={t.run} onClick={storeTestCard} />
        </Group>
        {response && <JsonView value={response as { [key: string]: Json }} what="answer" />}
        <Problem of={problem} />
      </section>
      <InTerminal listener={listener} appKey={keys?.private} onCopied={copied.private.markCopied} />
      {keys && <FirstKeys keys={keys} onCopied={(kind) => copied[kind].markCopied()} />}
      <Group justify="flex-end">
        <OutcomeStatus outcome={outcome} isWaiting={isWaiting} />
        {outcome && (
          <ActionButton
            label={outcome.what === 'refused' ? t.why : t.open}
            size="sm"
            onClick={() => finishFirstRun(outcome.href)}
          />
        )}
        <Button size="sm" onClick={() => finishFirstRun(toHref(outcome ? 'tokens' : 'home'))}>
          {t.done}
        </Button>
      </Group>
    </>
  )
}

type OutcomeStatusProps = { outcome: FirstRequestOutcome | null; isWaiting: boolean }

function OutcomeStatus({ outcome, isWaiting }: OutcomeStatusProps) {
  return (
    <span
      className={outcome && outcome.what !== 'refused' ? `${styles.live} ${styles.liveHere}` : styles.live}
      role="status"
      data-waiting={outcome ? undefined : ''}
    >
      {(outcome ?? isWaiting) && <span className={styles.liveDot} />}
      {outcome ? t[outcome.what] : isWaiting && t.waiting}
    </span>
  )
}

type TerminalProps = {
  readonly listener: HostStatus['listener']
  readonly appKey: string | undefined
  readonly onCopied: () => void
}

function InTerminal({ listener, appKey, onCopied }: TerminalProps) {
  return (
    <section className={styles.part}>
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
            text={formatCurl({ method: 'POST', url: `${listener.url}/tokens`, key: appKey, body })}
            what={t.curl}
            secret
            wrap
            onCopied={onCopied}
          />
          <p className="note">{t.keyNote}</p>
        </>
      )}
    </section>
  )
}

type KeysProps = {
  readonly keys: Readonly<Record<FirstRequestKind, string>>
  readonly onCopied: (kind: FirstRequestKind) => void
}

/** The keys of the first applications, which are shown only once. */
function FirstKeys({ keys, onCopied }: KeysProps) {
  return (
    <section className={styles.part}>
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
      <Box component="p" className="faint" mb={8} fz={12}>
        {t.keysNote}
      </Box>
      {kinds.map((kind) => (
        <div key={kind} className={styles.key}>
          <span className="dim">{t.keyNames[kind]}</span>
          <Code text={keys[kind]} what={t.keyNames[kind]} secret onCopied={() => onCopied(kind)} />
        </div>
      ))}
    </section>
  )
}
