import { useState } from 'react'
import type { Permission } from '../../../shared/permissions.ts'
import { Chip } from '../../ui/chip.tsx'
import { strings } from '../strings.ts'
import { groupsOf, splitByUse, verbOf } from './permission-groups.ts'

const t = strings.applications

/** Permissions as chips, grouped by what they are about; what allows nothing here is set apart and says so. */
export function PermissionChips({ permissions }: { permissions: readonly Permission[] }) {
  const { useful, useless } = splitByUse(permissions)
  return (
    <div className="permission-groups">
      <ChipGroups permissions={useful} />
      {useless.length > 0 && <div className="faint">{t.allowNothing}</div>}
      <ChipGroups permissions={useless} />
    </div>
  )
}

function ChipGroups({ permissions }: { permissions: readonly Permission[] }) {
  return groupsOf(permissions).map(({ subject, name, permissions }) => (
    <div key={subject} className="permission-group">
      <span className="faint">{name}</span>
      {permissions.map((permission) => (
        <Chip key={permission} title={permission}>
          {verbOf(permission)}
        </Chip>
      ))}
    </div>
  ))
}

type PickerProps = {
  readonly label: string
  readonly offered: readonly Permission[]
  readonly value: readonly Permission[]
  readonly onChange: (value: Permission[]) => void
}

/** Permissions to pick, grouped the same way. */
export function PermissionPicker({ label, offered, ...picking }: PickerProps) {
  const { useful, useless } = splitByUse(offered)
  const [isOpen] = useState(() => useless.some((each) => picking.value.includes(each)))
  return (
    <fieldset className="permission-groups">
      <legend>{label}</legend>
      <PickGroups offered={useful} {...picking} />
      {useless.length > 0 && (
        <details className="more" open={isOpen}>
          <summary>{t.allowNothing}</summary>
          <div className="permission-groups">
            <PickGroups offered={useless} {...picking} />
          </div>
        </details>
      )}
    </fieldset>
  )
}

function PickGroups({ offered, value, onChange }: Omit<PickerProps, 'label'>) {
  return groupsOf(offered).map(({ subject, name, permissions }) => (
    <div key={subject} className="permission-group">
      <span className="faint">{name}</span>
      {permissions.map((permission) => {
        const picked = value.includes(permission)
        return (
          <button
            key={permission}
            type="button"
            className={picked ? 'pick pick-on' : 'pick'}
            aria-pressed={picked}
            aria-label={permission}
            onClick={() =>
              onChange(picked ? value.filter((each) => each !== permission) : [...value, permission])
            }
          >
            {verbOf(permission)}
          </button>
        )
      })}
    </div>
  ))
}
