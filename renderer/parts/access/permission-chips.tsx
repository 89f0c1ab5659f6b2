import type { Permission } from '../../../shared/permissions.ts'
import { Chip } from '../../ui/chip.tsx'
import styles from './permission-chips.module.css'
import { getPermissionVerb, groupPermissions, splitByUse } from './permission-groups.ts'
import { strings as t } from './strings.ts'

/** Permissions as chips, grouped by subject. Those without effect in Coffer are listed separately. */
export function PermissionChips({ permissions }: { permissions: readonly Permission[] }) {
  const { useful, useless } = splitByUse(permissions)
  return (
    <div className={styles.groups}>
      <ChipGroups permissions={useful} />
      {useless.length > 0 && <div className="faint">{t.allowNothing}</div>}
      <ChipGroups permissions={useless} />
    </div>
  )
}

function ChipGroups({ permissions }: { permissions: readonly Permission[] }) {
  return groupPermissions(permissions).map(({ subject, name, permissions }) => (
    <div key={subject} className={styles.group}>
      <span className="faint">{name}</span>
      {permissions.map((permission) => (
        <Chip key={permission} title={permission}>
          {getPermissionVerb(permission)}
        </Chip>
      ))}
    </div>
  ))
}
