import type { FullLog } from '../../../shared/schemas/log.ts'
import { PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import consideredRulesStyles from './considered-rules.module.css'
import { ConsideredRules } from './considered-rules.tsx'
import { findRejection } from './permission-rejection.ts'
import { strings } from './strings.ts'

const t = strings.why

/**
 * The error that a refused caller received, and its cause: the invalid members, or the missing permission
 * with the verdict of every rule.
 */
export function RefusalSection({ record }: { record: FullLog }) {
  const refusal = findRejection(record)
  return (
    <>
      <CallerMessage record={record} />
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

function CallerMessage({ record: { status, detail, errors, code } }: { record: FullLog }) {
  if (detail === undefined) return null
  return (
    <PanelSection title={t.callerMessage}>
      <p className={consideredRulesStyles.text}>{detail}</p>
      {errors && (
        <Properties
          of={Object.fromEntries(Object.entries(errors).map(([member, all]) => [member, all.join('; ')]))}
        />
      )}
      {status === 401 && <p className={consideredRulesStyles.text}>{t.key}</p>}
      {code !== undefined && (
        <p className={`faint ${consideredRulesStyles.text}`}>
          {t.code} <span className="mono">{code}</span>
        </p>
      )}
    </PanelSection>
  )
}
