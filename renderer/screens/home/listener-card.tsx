import { Group } from '@mantine/core'
import type { HostStatus } from '../../../shared/host/status.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { useDisconnectedText } from '../../parts/connection/disconnected-banner.tsx'
import { formatEnvLines } from '../../parts/listener/env-lines.ts'
import { startListener, stopListener } from '../../parts/listener/listener.ts'
import { strings as listenerWords } from '../../parts/listener/strings.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Failure } from '../../ui/failure.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Code } from '../../ui/text/code.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { CheckoutLines } from './checkout-lines.tsx'
import { createStepRequest } from './first-steps-text.ts'
import styles from './home.module.css'
import { strings } from './strings.ts'

const t = strings.listener

/** Whether the listener is on, with its base URL to copy. */
export function ListenerCard({ status }: { status: HostStatus }) {
  const { listener, settings } = status
  const unreachableText = useDisconnectedText()
  if (unreachableText !== null) {
    return (
      <section className={styles.tile}>
        <h2>{t.title}</h2>
        <p>{unreachableText}.</p>
        <p className="dim">{listener.state === 'on' ? t.gone(listener.url) : t.goneOff}</p>
      </section>
    )
  }
  if (listener.state !== 'on') {
    return (
      <section className={styles.tile}>
        <h2>{t.title}</h2>
        <p className="dim">{listener.state === 'refused' ? t.refused : t.off}</p>
        {listener.state === 'refused' && <Failure>{listener.reason}</Failure>}
        <Group gap="xs" mt={8}>
          <ActionButton variant="filled" icon="play" label={t.start} onClick={() => startListener()} />
          {listener.state === 'refused' && listener.next_port !== undefined ? (
            <ActionButton
              label={listenerWords.startNext(listener.next_port)}
              onClick={() => startListener(listener.next_port)}
            />
          ) : (
            settings.port !== 0 && <span className="faint mono">127.0.0.1:{settings.port}</span>
          )}
        </Group>
      </section>
    )
  }
  return (
    <section className={styles.tile}>
      <div className={styles.tileHead}>
        <h2>{t.title}</h2>
        <ActionButton label={t.stop} size="compact-xs" onClick={stopListener} />
      </div>
      <p className="dim">{t.on}</p>
      <div className={styles.tileUrl}>
        <span className="mono">{listener.url}</span>
        <CopyButton value={listener.url} what={t.url} />
      </div>
      <Code text={formatEnvLines(listener.url)} what={t.env} />
      <details className={styles.tileMore}>
        <summary>{t.first}</summary>
        <RequestSnippet request={createStepRequest('token')} wrap />
      </details>
      <RunUnchanged />
      <CheckoutLines />
    </section>
  )
}

function RunUnchanged() {
  return (
    <details className={styles.tileMore}>
      <summary>{t.unchanged}</summary>
      <p className="dim">{t.unchangedText}</p>
      <Code text={t.unchangedCommand} what={t.unchangedWhat} wrap />
      <p className="dim">
        {t.unchangedHere} <LinkButton to={toHref('settings', 'listener')} label={t.unchangedSettings} />
      </p>
    </details>
  )
}
