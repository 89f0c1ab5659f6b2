import type { HostStatus } from '../../../../shared/host.ts'
import { Section } from '../section.tsx'
import { ExportPart } from './export-part.tsx'
import { ImportPart } from './import-part.tsx'
import { strings } from './strings.ts'

const t = strings

/** Import and export of tokens. */
export function TransferSection({ vault }: { vault: NonNullable<HostStatus['vault']> }) {
  return (
    <Section name="transfer" text={t.text}>
      <div className="transfer-part">
        <h3>{t.import.title}</h3>
        <p className="settings-text">{t.import.text}</p>
      </div>
      <ImportPart />
      <div className="transfer-part">
        <h3>{t.export.title}</h3>
        <p className="settings-text">{t.export.text}</p>
      </div>
      <ExportPart vault={vault} />
    </Section>
  )
}
