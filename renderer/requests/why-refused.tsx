import { strings } from '../strings.ts'
import { Part } from '../ui/panel.tsx'
import { ConsideredRules } from './considered-rules.tsx'
import type { LogRecord } from './record.ts'
import { SendAgain } from './send-again.tsx'
import { refusalOf } from './why.ts'

const t = strings.requests.why

/** Why a request got 403: the missing permission, and every rule that was considered. */
export function WhyRefused({ record }: { record: LogRecord }) {
  const refusal = refusalOf(record)
  if (record.status === 401) {
    return (
      <Part title={t.title}>
        <span>{t.key}</span>
      </Part>
    )
  }
  if (!refusal) return null
  const { application_id, permission, containers } = refusal
  return (
    <ConsideredRules
      key={record.id}
      application_id={application_id}
      permission={permission}
      on={containers && { containers }}
      action={<SendAgain record={record} />}
    />
  )
}
