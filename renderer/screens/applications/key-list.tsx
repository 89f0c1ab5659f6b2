import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import loadingStyles from '../../ui/loading.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './applications.module.css'
import { KeyHint, LastUse } from './key-hint.tsx'
import { findRotation } from './rotation.ts'
import { strings } from './strings.ts'
import { loadKeyUses, useApplicationKeys, useKeyUses } from './uses-store.ts'

const t = strings

/** The keys of an application, each with its hint and last use. */
export function KeyList({
  application,
  onDeleted,
}: {
  application: Application
  onDeleted: (id: string) => void
}) {
  const { as } = useViewAs()
  const loaded = useKeyUses((state) => state.loaded)
  const keys = useApplicationKeys(application.id)
  const [deletingId, setDeleting] = useState<string | null>(null)
  const deleting = keys.find(({ id }) => id === deletingId)
  const rotation = findRotation(keys)
  if (as) return <PlainKeys application={application} />
  if (!loaded) return <span className={`${loadingStyles.bone} ${styles.keyBone}`} />
  if (keys.length === 0) return <span className="faint">{t.drawer.noKeys}</span>
  return (
    <>
      <ul className={styles.keyList}>
        {keys.map((key) => (
          <li key={key.id} title={key.id}>
            <Icon name="key" size={14} />
            <KeyHint of={key} />
            {key.id === rotation?.fresh.id && <Chip tone="accent">{t.hint.fresh}</Chip>}
            {key.id === rotation?.old.id && <Chip tone="amber">{t.hint.old}</Chip>}
            <span className={`faint ${styles.keyTimes}`}>
              {t.drawer.keyMade} <Time at={key.created_at} />, <LastUse of={key} />
            </span>
            <IconButton
              icon="trash"
              label={t.drawer.removeKey(key.hint ?? t.hint.unknown)}
              onClick={() => setDeleting(key.id)}
              size={24}
            />
          </li>
        ))}
      </ul>
      {deleting && (
        <InputConfirm
          title={t.remove.keyTitle}
          word={t.remove.keyWord}
          action={t.remove.keyAction}
          onConfirm={async () => {
            await vault.keys.remove({ id: application.id, keyId: deleting.id })
            onDeleted(deleting.id)
            showToast(t.drawer.keyRemoved(deleting.hint))
            await loadKeyUses()
          }}
          onClose={() => setDeleting(null)}
        >
          <p className={styles.keyNamed}>
            <KeyHint of={deleting} /> {t.remove.keyOf}{' '}
            <strong>
              <MarkedText text={application.name} />
            </strong>
            , {t.drawer.keyMade} <Time at={deleting.created_at} />, <LastUse of={deleting} />.
          </p>
          <p>{t.remove.keyText}</p>
        </InputConfirm>
      )}
    </>
  )
}

/** The keys as a program receives them from the API. */
function PlainKeys({ application }: { application: Application }) {
  if (application.keys.length === 0) return <span className="faint">{t.drawer.noKeys}</span>
  return (
    <ul className={styles.keyList}>
      {application.keys.map((key) => (
        <li key={key.id}>
          <Icon name="key" size={14} />
          <span className="mono clip">{key.id}</span>
          {key.created_at !== undefined && (
            <span className={`faint ${styles.keyTimes}`}>
              {t.drawer.keyMade} <Time at={key.created_at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
