import type { AccessRule } from '../../../shared/schemas/rule.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { PermissionChips } from './permission-chips.tsx'
import styles from './rule-card.module.css'
import { strings } from './strings.ts'

const t = strings.rule

export const transformTones = { reveal: 'amber', mask: 'accent', redact: 'plain' } as const satisfies Record<
  AccessRule['transform'],
  Tone
>

export function RuleCard({ rule, note }: { rule: AccessRule; note?: string }) {
  return (
    <div className={styles.root}>
      <div className={styles.head}>
        <span className={styles.priority} title={t.title(rule.priority)}>
          {rule.priority}
        </span>
        <span className="mono">{rule.container ?? '/'}</span>
        <Chip tone={transformTones[rule.transform]}>{t.transforms[rule.transform]}</Chip>
        {note !== undefined && <span className={`faint ${styles.note}`}>{note}</span>}
      </div>
      {rule.description !== undefined && (
        <div className="dim">
          <MarkedText text={rule.description} />
        </div>
      )}
      <PermissionChips permissions={rule.permissions} />
    </div>
  )
}
