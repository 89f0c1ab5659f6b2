import { formatSize } from '../../../shared/format-size.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'
import formStyles from '../../ui/form.module.css'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { strings } from './strings.ts'

const t = strings.request

/** Query, sizes and headers of the HTTP request. Renders nothing for a call that was not an HTTP request. */
export function RequestMetadataSection({ record }: { record: FullLog }) {
  const { agent, request_bytes, answer_bytes, headers = {}, query = {} } = record
  const isRequest = agent ?? request_bytes ?? record.headers ?? record.query
  if (isRequest === undefined) return null
  const parameters = Object.entries(query)
  return (
    <PanelSection title={t.title}>
      <PropertyList>
        {parameters.length > 0 && (
          <PropertyRow name={t.query}>
            <span className="mono">
              {parameters.map(([name, value]) => `${name}=${value ?? '…'}`).join('&')}
            </span>
          </PropertyRow>
        )}
        <PropertyRow name={t.sent}>
          {request_bytes === undefined ? t.unknownSize : formatSize(request_bytes)}
        </PropertyRow>
        <PropertyRow name={t.answered}>
          {answer_bytes === undefined ? t.unknownSize : formatSize(answer_bytes)}
        </PropertyRow>
        {agent !== undefined && (
          <PropertyRow name="user-agent">
            <MarkedSpan text={agent} />
          </PropertyRow>
        )}
        {Object.entries(headers).map(([name, value]) => (
          <PropertyRow key={name} name={name}>
            <MarkedSpan text={value} />
          </PropertyRow>
        ))}
      </PropertyList>
      <p className={formStyles.note}>{t.help}</p>
    </PanelSection>
  )
}
