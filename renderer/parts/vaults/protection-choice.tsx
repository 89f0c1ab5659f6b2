import type { HostStatus } from '../../../shared/host/status.ts'
import styles from './protection-choice.module.css'
import { strings } from './strings.ts'

const t = strings.protection
export type ProtectionKind = 'keychain' | 'passphrase' | 'memory'

type Props<T extends ProtectionKind> = {
  readonly kinds: readonly T[]
  readonly keychain: HostStatus['keychain']
  readonly value: T
  readonly onChange: (kind: T) => void
}

export function ProtectionChoice<T extends ProtectionKind>({ kinds, keychain, value, onChange }: Props<T>) {
  return (
    <fieldset className={styles.choices}>
      <legend>{t.legend}</legend>
      {kinds.map((kind) => {
        const unavailableReason = kind === 'keychain' && keychain !== true ? keychain : null
        return (
          <label key={kind} className={styles.choice}>
            <input
              type="radio"
              name="protection"
              checked={value === kind}
              disabled={unavailableReason !== null}
              onChange={() => onChange(kind)}
              data-autofocus={value === kind || undefined}
            />
            <div>
              <strong>{t[kind].label}</strong>
              <span>{unavailableReason ?? t[kind].text}</span>
            </div>
          </label>
        )
      })}
    </fieldset>
  )
}
