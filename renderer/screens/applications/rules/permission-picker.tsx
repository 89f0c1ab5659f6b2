import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Permission } from '../../../../shared/permissions.ts'
import { GrantWarnings } from '../../../parts/access/grant-warnings.tsx'
import styles from '../../../parts/access/permission-chips.module.css'
import { getPermissionVerb, groupPermissions, splitByUse } from '../../../parts/access/permission-groups.ts'
import { strings as access } from '../../../parts/access/strings.ts'
import rulesStyles from './rules.module.css'
import { strings } from './strings.ts'

type PickerProps = {
  readonly label: string
  readonly offered: readonly Permission[]
  readonly value: readonly Permission[]
  /** Whether to fold the groups that neither are about tokens nor have a picked permission. */
  readonly isShort?: boolean
  readonly onChange: (value: Permission[]) => void
}

export function PermissionPicker({ label, offered, isShort = false, ...picking }: PickerProps) {
  const { useful, useless } = splitByUse(offered)
  const [shown] = useState(() => (isShort ? listShown(useful, picking.value) : useful))
  const others = useful.filter((each) => !shown.includes(each))
  return (
    <fieldset className={styles.groups}>
      <legend className="visually-hidden">{label}</legend>
      <PickGroups offered={shown} {...picking} />
      <FoldedGroups title={strings.otherPermissions} offered={others} {...picking} />
      <FoldedGroups title={access.allowNothing} offered={useless} {...picking} />
      <GrantWarnings permissions={picking.value} />
    </fieldset>
  )
}

/** The permissions of tokens, and of the groups in which some are picked. */
function listShown(offered: readonly Permission[], picked: readonly Permission[]): readonly Permission[] {
  return groupPermissions(offered)
    .filter(
      ({ subject, permissions }) =>
        subject === 'token' || permissions.some((permission) => picked.includes(permission)),
    )
    .flatMap(({ permissions }) => permissions)
}

type GroupsProps = Pick<PickerProps, 'offered' | 'value' | 'onChange'>

function FoldedGroups({ title, ...picking }: GroupsProps & { readonly title: string }) {
  const [isOpen] = useState(() => picking.offered.some((each) => picking.value.includes(each)))
  if (picking.offered.length === 0) return null
  return (
    <details className="more" open={isOpen}>
      <summary>{title}</summary>
      <div className={styles.groups}>
        <PickGroups {...picking} />
      </div>
    </details>
  )
}

function PickGroups({ offered, value, onChange }: GroupsProps) {
  return groupPermissions(offered).map(({ subject, name, permissions }) => (
    <div key={subject} className={styles.group}>
      <span className="faint">{name}</span>
      {permissions.map((permission) => {
        const picked = value.includes(permission)
        return (
          <Button
            key={permission}
            className={rulesStyles.pick}
            size="compact-xs"
            variant={picked ? 'light' : 'default'}
            aria-pressed={picked}
            aria-label={permission}
            onClick={() =>
              onChange(picked ? value.filter((each) => each !== permission) : [...value, permission])
            }
          >
            {getPermissionVerb(permission)}
          </Button>
        )
      })}
    </div>
  ))
}
