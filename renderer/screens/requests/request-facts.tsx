import type { FullLog } from '../../../shared/schemas/log.ts'
import { sizeText } from '../../../shared/size-text.ts'
import { Fact, Facts, Part } from '../../ui/panel.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { strings } from './strings.ts'

const t = strings.request

/** What is known of the HTTP request behind a record: query, sizes, headers. Nothing for calls that were none. */
export function RequestFacts({ record }: { record: FullLog }) {
  const { agent, request_bytes, answer_bytes, headers = {}, query = {} } = record
  const isRequest = agent ?? request_bytes ?? record.headers ?? record.query
  if (isRequest === undefined) return null
  const parameters = Object.entries(query)
  return (
    <Part title={t.title}>
      <Facts>
        {parameters.length > 0 && (
          <Fact name={t.query}>
            <span className="mono">
              {parameters.map(([name, value]) => `${name}=${value ?? '…'}`).join('&')}
            </span>
          </Fact>
        )}
        <Fact name={t.sent}>{request_bytes === undefined ? t.unknownSize : sizeText(request_bytes)}</Fact>
        <Fact name={t.answered}>{answer_bytes === undefined ? t.unknownSize : sizeText(answer_bytes)}</Fact>
        {agent !== undefined && (
          <Fact name="user-agent">
            <span className="mono">
              <MarkedText text={agent} />
            </span>
          </Fact>
        )}
        {Object.entries(headers).map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="mono">
              <MarkedText text={value} />
            </span>
          </Fact>
        ))}
      </Facts>
      <p className="part-help">{t.help}</p>
    </Part>
  )
}
