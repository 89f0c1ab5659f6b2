import { useEffect, useRef } from 'react'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { navigate, useRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { ExportSection } from '../../../parts/vaults/export-section.tsx'
import { strings as shared } from '../../../parts/vaults/strings.ts'
import { Section } from '../fields.tsx'
import settingsStyles from '../settings.module.css'
import { ImportSection } from './import-section.tsx'
import { strings as t } from './strings.ts'
import styles from './transfer.module.css'

const exported = shared.export
const parts = ['import', 'export'] as const

export function TransferSection({ vault }: { vault: NonNullable<HostStatus['vault']> }) {
  const boxes = { import: useRef<HTMLDivElement>(null), export: useRef<HTMLDivElement>(null) }
  const { ask } = useRoute().query
  const requested = parts.find((each) => each === ask)
  const box = requested && boxes[requested]
  useEffect(() => {
    // The palette focuses a button of this section through the route's query, which is then cleared.
    if (!box) return
    const button = box.current?.querySelector<HTMLElement>('button:not(:disabled)')
    button?.scrollIntoView({ block: 'center' })
    button?.focus({ preventScroll: true })
    navigate(toHref('settings', 'transfer'), { replace: true })
  }, [box])
  return (
    <Section name="transfer" text={t.text}>
      <div className={styles.part}>
        <h3>{t.import.title}</h3>
        <p className={settingsStyles.text}>{t.import.text}</p>
      </div>
      <div ref={boxes.import} className={styles.box}>
        <ImportSection />
      </div>
      <div className={styles.part}>
        <h3>{exported.title}</h3>
        <p className={settingsStyles.text}>{exported.text}</p>
      </div>
      <div ref={boxes.export} className={styles.box}>
        <ExportSection vault={vault} />
      </div>
    </Section>
  )
}
