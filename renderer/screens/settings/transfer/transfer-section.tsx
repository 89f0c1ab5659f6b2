import { useEffect, useRef } from 'react'
import type { HostStatus } from '../../../../shared/host.ts'
import { useRoute } from '../../../parts/navigation/route.ts'
import { ExportPart } from '../../../parts/vaults/export-part.tsx'
import { strings as shared } from '../../../parts/vaults/strings.ts'
import { Section } from '../section.tsx'
import { ImportPart } from './import-part.tsx'
import { strings } from './strings.ts'

const t = strings
const exported = shared.export

/** Import and export of tokens. Opened for one of them, it puts the focus on that one's first button. */
export function TransferSection({ vault }: { vault: NonNullable<HostStatus['vault']> }) {
  const { begin } = useRoute().query
  const importing = useRef<HTMLDivElement>(null)
  const exporting = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const part = begin === 'export' ? exporting : begin === 'import' ? importing : null
    part?.current?.querySelector('button')?.focus()
  }, [begin])
  return (
    <Section name="transfer" text={t.text}>
      <div className="transfer-part">
        <h3>{t.import.title}</h3>
        <p className="settings-text">{t.import.text}</p>
      </div>
      <div ref={importing} className="transfer-whole">
        <ImportPart />
      </div>
      <div className="transfer-part">
        <h3>{exported.title}</h3>
        <p className="settings-text">{exported.text}</p>
      </div>
      <div ref={exporting} className="transfer-whole">
        <ExportPart vault={vault} />
      </div>
    </Section>
  )
}
