import { Group } from '@mantine/core'
import { useDocumentCount } from '../../parts/documents/count-store.ts'
import { goTo } from '../../parts/navigation/route.ts'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import styles from './home.module.css'
import { strings } from './strings.ts'

const t = strings.memory

/** Warns that the open vault exists only in memory, and explains how to save its tokens. */
export function MemoryCard() {
  const { counted } = useDocumentCount()
  return (
    <section className={`${styles.tile} ${styles.tileWide} ${styles.tileMemory}`} aria-label={t.title}>
      <Icon name="alert" />
      <div>
        <h2>{t.title}</h2>
        <p>
          {t.text}
          {counted !== null && counted.documents > 0 && ` ${t.documents}`}
        </p>
      </div>
      <Group gap="xs" wrap="nowrap">
        <ActionButton label={t.export} onClick={goTo('settings', 'transfer')} />
        <ActionButton label={t.create} onClick={startFirstRun} />
      </Group>
    </section>
  )
}
