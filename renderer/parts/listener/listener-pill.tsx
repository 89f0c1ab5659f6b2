import { Menu, Text, Tooltip } from '@mantine/core'
import type { HostStatus } from '../../../shared/host/status.ts'
import { Icon } from '../../ui/icon.tsx'
import { useDisconnectedText } from '../connection/disconnected-banner.tsx'
import { strings as connection } from '../connection/strings.ts'
import { tryNow } from '../connection/vault.ts'
import { goTo } from '../navigation/route.ts'
import { copyBaseUrl, copyEnv, startListener, stopListener } from './listener.ts'
import styles from './listener-pill.module.css'
import { strings as t } from './strings.ts'

const portItem = (
  <Menu.Item leftSection={<Icon name="sliders" />} onClick={goTo('settings', 'listener')}>
    {t.port}
  </Menu.Item>
)

/** The listener's status and base URL. A click copies the URL. */
export function ListenerPill({ status }: { status: HostStatus }) {
  const { listener } = status
  const faults = status.faults.length > 0
  const disconnectedText = useDisconnectedText()
  if (disconnectedText !== null) {
    return (
      <div className={`${styles.root} ${styles.gone}`}>
        <Tooltip label={connection.disconnected.tryNow}>
          <button type="button" className="unstyled" onClick={tryNow}>
            <span className={styles.dot} />
            {disconnectedText}
          </button>
        </Tooltip>
      </div>
    )
  }
  if (listener.state === 'on') {
    return (
      <div
        className={faults ? `${styles.root} ${styles.on} ${styles.faults}` : `${styles.root} ${styles.on}`}
      >
        <Tooltip label={faults ? t.faults(status.faults.join(', ')) : t.copyUrl}>
          <button type="button" className="unstyled" onClick={() => copyBaseUrl(listener.url)}>
            <span className={styles.dot} />
            {faults ? (
              <strong>{t.faultsOn(status.faults.length)}</strong>
            ) : (
              <span className={styles.name}>{t.on('')}</span>
            )}
            <span className="mono" data-host>
              {new URL(listener.url).host}
            </span>
          </button>
        </Tooltip>
        <Menu position="bottom-start">
          <Menu.Target>
            <button type="button" className="unstyled" aria-label={t.menu}>
              <Icon name="down" size={14} />
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {faults && (
              <Menu.Item leftSection={<Icon name="alert" />} onClick={goTo('settings', 'faults')}>
                {t.faults(status.faults.join(', '))}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<Icon name="copy" />} onClick={() => copyBaseUrl(listener.url)}>
              {t.copyUrl}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="terminal" />} onClick={() => copyEnv(listener.url)}>
              {t.copyEnv}
            </Menu.Item>
            {portItem}
            <Menu.Divider />
            <Menu.Item leftSection={<Icon name="stop" />} onClick={stopListener}>
              {t.stop}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    )
  }
  const isRefused = listener.state === 'refused'
  return (
    <div className={isRefused ? `${styles.root} ${styles.refused}` : styles.root}>
      <Menu position="bottom-start" width={isRefused ? 300 : 220}>
        <Menu.Target>
          <button type="button" className="unstyled">
            <span className={styles.dot} />
            {isRefused ? t.refused : t.off}
            <Icon name="down" size={14} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {isRefused && (
            <Text size="xs" c="red" px="sm" py={6}>
              {listener.reason}
            </Text>
          )}
          <Menu.Item leftSection={<Icon name="play" />} onClick={() => startListener()}>
            {t.start(status.settings.port)}
          </Menu.Item>
          {isRefused && listener.next_port !== undefined && (
            <Menu.Item leftSection={<Icon name="play" />} onClick={() => startListener(listener.next_port)}>
              {t.startNext(listener.next_port)}
            </Menu.Item>
          )}
          {portItem}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
