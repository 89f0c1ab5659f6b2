import type { Application } from '../../../shared/schemas/application.ts'
import { transformTones } from '../../parts/access/rule-card.tsx'
import { strings as access } from '../../parts/access/strings.ts'
import { TypeChip } from '../../parts/access/type-chip.tsx'
import { createColumns, createNameColumn } from '../../parts/resource-screen/columns.tsx'
import { Chip } from '../../ui/chip.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import loadingStyles from '../../ui/loading.module.css'
import { Time } from '../../ui/time/time.tsx'
import { type Access, summarizeAccess } from './access-summary.ts'
import styles from './applications.module.css'
import { strings as t } from './strings.ts'
import type { KeyUsesState } from './uses-store.ts'

const ruleStrings = access.rule
const MAX_CHIPS = 4

function Grant({ access: { where, reads, verbs, permissions } }: { access: Access }) {
  return (
    <Chip tone={reads === null ? 'plain' : transformTones[reads]} title={permissions.join(', ')}>
      {where === null ? t.everywhere : <span className={`mono ${styles.accessWhere}`}>{where}</span>}
      <span className={styles.accessWhat}>
        {reads === null ? verbs.join(', ') : ruleStrings.transforms[reads]}
      </span>
    </Chip>
  )
}

function AccessCell({ application }: { application: Application }) {
  if (application.type === 'management') {
    const { permissions } = application
    return <Chip title={permissions.join(', ')}>{t.permissionCount(permissions.length)}</Chip>
  }
  const accesses = summarizeAccess(application)
  return (
    <span className={styles.access}>
      {accesses.slice(0, MAX_CHIPS).map((access) => (
        <Grant key={access.key} access={access} />
      ))}
      {/* Shows as many chips as fit the column, and the number of hidden ones. */}
      {[1, 2, 3, MAX_CHIPS].map(
        (visibleCount) =>
          accesses.length > visibleCount && (
            <span key={visibleCount} className={`faint ${styles.accessMore}`} data-count={visibleCount}>
              +{accesses.length - visibleCount}
            </span>
          ),
      )}
    </span>
  )
}

function LastUsed({ at, loaded }: { at: string | null | undefined; loaded: boolean }) {
  if (!loaded) return <span className={loadingStyles.bone} />
  return <span className="faint">{at ? <Time at={at} /> : t.neverUsed}</span>
}

/** While viewing as an application, columns that only the owner may see are omitted. */
export function createApplicationColumns(
  { lastUses, loaded }: Pick<KeyUsesState, 'lastUses' | 'loaded'>,
  isOwner: boolean,
): readonly Column<Application>[] {
  return createColumns(t.columns, {
    name: createNameColumn('app', 'clamp(140px, 20%, 320px)'),
    type: { width: '96px', render: ({ type }) => <TypeChip type={type} /> },
    access: {
      width: 'minmax(128px, 1fr)',
      render: (application) => <AccessCell application={application} />,
    },
    keys: { width: '44px', right: true, render: ({ keys }) => keys.length },
    used: isOwner && {
      width: '88px',
      right: true,
      render: ({ id }) => <LastUsed at={lastUses.get(id)} loaded={loaded} />,
    },
    expires: {
      width: '76px',
      from: 688,
      right: true,
      render: ({ expires_at }) => (
        <span className="faint">{expires_at && <Time at={expires_at} ahead />}</span>
      ),
    },
  })
}
