import { useState } from 'react'
import type { Permission } from '../../../../shared/permissions.ts'
import { GrantWarnings } from '../../../parts/access/grant-warnings.tsx'
import styles from '../../../parts/access/permission-chips.module.css'
import { getPermissionVerb, groupPermissions, splitByUse } from '../../../parts/access/permission-groups.ts'
import { strings as access } from '../../../parts/access/strings.ts'
import rulesStyles from './rules.module.css'

type PickerProps = {
  readonly label: string
  readonly offered: readonly Permission[]
  readonly value: readonly Permission[]
  readonly onChange: (value: Permission[]) => void
}

/** Picks permissions, grouped by resource. */
export function PermissionPicker({ label, offered, ...picking }: PickerProps) {
  const { useful, useless } = splitByUse(offered)
  const [isOpen] = useState(() => useless.some((each) => picking.value.includes(each)))
  return (
    <fieldset className={styles.groups}>
      <legend className="visually-hidden">{label}</legend>
      <PickGroups offered={useful} {...picking} />
      {useless.length > 0 && (
        <details className="more" open={isOpen}>
          <summary>{access.allowNothing}</summary>
          <div className={styles.groups}>
            <PickGroups offered={useless} {...picking} />
          </div>
        </details>
      )}
      <GrantWarnings permissions={picking.value} />
    </fieldset>
  )
}

function PickGroups({ offered, value, onChange }: Omit<PickerProps, 'label'>) {
  return groupPermissions(offered).map(({ subject, name, permissions }) => (
    <div key={subject} className={styles.group}>
      <span className="faint">{name}</span>
      {permissions.map((permission) => {
        const picked = value.includes(permission)
        return (
          <button
            key={permission}
            type="button"
            className={picked ? `${rulesStyles.pick} ${rulesStyles.pickOn}` : rulesStyles.pick}
            aria-pressed={picked}
            aria-label={permission}
            onClick={() =>
              onChange(picked ? value.filter((each) => each !== permission) : [...value, permission])
            }
          >
            {getPermissionVerb(permission)}
          </button>
        )
      })}
    </div>
  ))
}
