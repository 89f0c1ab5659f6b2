import type { Application } from '../../shared/schemas/application.ts'
import { strings } from '../strings.ts'
import { Chip } from '../ui/chip.tsx'
import type { Column } from '../ui/grid.tsx'
import { Icon } from '../ui/icon.tsx'
import { Time } from '../ui/time.tsx'
import { transformTones } from './rule-card.tsx'
import { TypeChip } from './type-chip.tsx'
import { type KeyUse, lastUseOf } from './uses-store.ts'

const t = strings.applications
const MOST = 4

function Access({ application: { rules, permissions, type } }: { application: Application }) {
  return (
    <span className="access">
      {rules.slice(0, MOST).map((rule) => (
        <Chip key={rule.priority} tone={transformTones[rule.transform]} title={rule.permissions.join(', ')}>
          <span className="mono">{rule.container ?? '/'}</span>
        </Chip>
      ))}
      {rules.length > MOST && <span className="faint">+{rules.length - MOST}</span>}
      {permissions.length > 0 && (
        <Chip title={permissions.join(', ')}>
          {type === 'management' ? t.permissionCount(permissions.length) : t.everywhere}
        </Chip>
      )}
    </span>
  )
}

/** The columns of the list. */
export function applicationColumns(keys: readonly KeyUse[]): readonly Column<Application>[] {
  return [
    {
      id: 'name',
      label: t.columns.name,
      width: 'minmax(140px, 1.2fr)',
      render: ({ name }) => (
        <span className="cell-type application-name">
          <Icon name="app" size={14} />
          <span className="clip">{name}</span>
        </span>
      ),
    },
    { id: 'type', label: t.columns.type, width: '96px', render: ({ type }) => <TypeChip type={type} /> },
    {
      id: 'access',
      label: t.columns.access,
      width: 'minmax(160px, 2.4fr)',
      render: (application) => <Access application={application} />,
    },
    {
      id: 'keys',
      label: t.columns.keys,
      width: '44px',
      right: true,
      render: ({ id }) => keys.filter((key) => key.application_id === id).length,
    },
    {
      id: 'used',
      label: t.columns.used,
      width: '84px',
      right: true,
      render: ({ id }) => {
        const used = lastUseOf(keys, id)
        return <span className="faint">{used === null ? t.neverUsed : <Time at={used} />}</span>
      },
    },
    {
      id: 'expires',
      label: t.columns.expires,
      width: '76px',
      right: true,
      render: ({ expires_at }) => <span className="faint">{expires_at && <Time at={expires_at} />}</span>,
    },
  ]
}
