import type { Permission } from '../../shared/permissions.ts'
import { Chip } from '../ui/chip.tsx'
import { groupsOf, verbOf } from './permission-groups.ts'

/** Permissions as chips, grouped by what they are about. */
export function PermissionChips({ permissions }: { permissions: readonly Permission[] }) {
  return (
    <div className="permission-groups">
      {groupsOf(permissions).map(({ subject, name, permissions }) => (
        <div key={subject} className="permission-group">
          <span className="faint">{name}</span>
          {permissions.map((permission) => (
            <Chip key={permission} title={permission}>
              {verbOf(permission)}
            </Chip>
          ))}
        </div>
      ))}
    </div>
  )
}

type PickerProps = {
  readonly label: string
  readonly offered: readonly Permission[]
  readonly value: readonly Permission[]
  readonly onChange: (value: Permission[]) => void
}

/** Permissions to pick, grouped the same way. */
export function PermissionPicker({ label, offered, value, onChange }: PickerProps) {
  return (
    <fieldset className="permission-groups">
      <legend>{label}</legend>
      {groupsOf(offered).map(({ subject, name, permissions }) => (
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
      ))}
    </fieldset>
  )
}
