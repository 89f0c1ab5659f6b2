import type { HostStatus } from '../../../../shared/host.ts'
import { ExportPart } from '../../../parts/vaults/export-part.tsx'
import { strings as shared } from '../../../parts/vaults/strings.ts'
import { Section } from '../section.tsx'
import { ImportPart } from './import-part.tsx'
import { strings } from './strings.ts'

const t = strings
const exported = shared.export

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
        <h3>{exported.title}</h3>
        <p className="settings-text">{exported.text}</p>
      </div>
      <ExportPart vault={vault} />
    </Section>
  )
}
