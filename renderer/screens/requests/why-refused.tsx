import type { FullLog } from '../../../shared/schemas/log.ts'
import { ConsideredRules } from '../../parts/access/considered-rules.tsx'
import { refusalOf } from '../../parts/access/why.ts'
import { Fact, Facts, Part } from '../../ui/panel.tsx'
import { strings } from './strings.ts'

const t = strings.why

/** What a refused caller was told, and why: the invalid members, or the missing permission with every rule. */
export function WhyRefused({ record }: { record: FullLog }) {
  const refusal = refusalOf(record)
  return (
    <>
      <Told record={record} />
      {refusal && (
        <ConsideredRules
          key={record.id}
          application_id={refusal.application_id}
          permission={refusal.permission}
          on={refusal.containers && { containers: refusal.containers }}
        />
      )}
    </>
  )
}

function Told({ record: { status, detail, errors, code } }: { record: FullLog }) {
  if (detail === undefined) return null
  return (
    <Part title={t.told}>
      <p className="why">{detail}</p>
      {errors && (
        <Facts>
          {Object.entries(errors).map(([member, messages]) => (
            <Fact key={member} name={member}>
              {messages.join('; ')}
            </Fact>
          ))}
        </Facts>
      )}
      {status === 401 && <p className="why">{t.key}</p>}
      {code !== undefined && (
        <p className="faint why">
          {t.code} <span className="mono">{code}</span>
        </p>
      )}
    </Part>
  )
}
