import { Group } from '@mantine/core'
import type { Destinations } from '../../../../shared/destinations.ts'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { useRoute } from '../../../parts/navigation/route.ts'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { saveSettings } from '../save-settings.ts'
import { Section } from '../section.tsx'
import styles from '../settings.module.css'
import { AddHost } from './add-host.tsx'
import { AddMap } from './add-map.tsx'
import { strings } from './strings.ts'

const t = strings

/** Which hosts proxies and webhooks may call, and which origins are redirected. */
export function DestinationsSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const { allow, map } = settings.destinations
  const { query } = useRoute()
  const saveDestinations = (part: Partial<Destinations>) => {
    const { allow: hosts, map: maps } = { ...settings.destinations, ...part }
    return saveSettings({ destinations: { allow: [...hosts], map: { ...maps } } }, settings)
  }
  const removeDestination = (part: Partial<Destinations>) =>
    void saveDestinations(part).catch(showFailureToast)
  const maps = Object.entries(map)
  return (
    <Section name="destinations" text={t.text}>
      <p className={styles.text}>{t.private}</p>
      <h3>{t.allowed}</h3>
      <AddHost
        key={query.allow}
        known={allow}
        asked={query.allow ?? ''}
        onAdd={(host) => saveDestinations({ allow: [...allow, host] })}
      />
      {allow.length === 0 && <span className="faint">{t.noHosts}</span>}
      <ul className={styles.vaultList} aria-label={t.allowed}>
        {allow.map((host) => (
          <li key={host}>
            <span className="mono">{host}</span>
            <Remove
              name={host}
              onRemove={() => removeDestination({ allow: allow.filter((each) => each !== host) })}
            />
          </li>
        ))}
      </ul>
      <h3>{t.mapped}</h3>
      <p className={styles.text}>{t.mapText}</p>
      <AddMap known={map} onAdd={(from, to) => saveDestinations({ map: { ...map, [from]: to } })} />
      {maps.length === 0 && <span className="faint">{t.noMaps}</span>}
      <ul className={styles.vaultList} aria-label={t.mapped}>
        {maps.map(([from, to]) => (
          <li key={from}>
            <span className="mono">{from}</span>
            <span className="dim">→</span>
            <span className="mono">{to}</span>
            <Remove
              name={from}
              onRemove={() =>
                removeDestination({ map: Object.fromEntries(maps.filter(([each]) => each !== from)) })
              }
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Remove({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <Group gap={4} ml="auto" wrap="nowrap">
      <IconButton icon="close" label={t.remove(name)} onClick={onRemove} />
    </Group>
  )
}
