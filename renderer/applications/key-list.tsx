import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { strings } from '../strings.ts'
import { toast } from '../toast.tsx'
import { Icon } from '../ui/icon.tsx'
import { Time } from '../ui/time.tsx'
import { TypedConfirm } from '../ui/typed-confirm.tsx'
import { vault } from '../vault.ts'
import { type KeyUse, loadKeyUses, useKeyUses } from './uses-store.ts'

const t = strings.applications

/** The keys of an application, and when each was last used. */
export function KeyList({ application_id }: { application_id: string }) {
  const keys = useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
  const [deleting, setDeleting] = useState<KeyUse | null>(null)
  if (keys.length === 0) return <span className="faint">{t.drawer.noKeys}</span>
  return (
    <>
      <ul className="key-list">
        {keys.map((key) => (
          <li key={key.id}>
            <Icon name="key" size={14} />
            <span className="mono clip" title={key.id}>
              {key.id.slice(0, 8)}
            </span>
            <span className="faint">
              {t.drawer.keyMade} <Time at={key.created_at} />
            </span>
            <span className="faint key-used">
              {key.last_used_at === null ? (
                t.drawer.keyUnused
              ) : (
                <>
                  {t.drawer.keyUsed} <Time at={key.last_used_at} />
                </>
              )}
            </span>
            <ActionIcon aria-label={t.drawer.removeKey} onClick={() => setDeleting(key)} size={22}>
              <Icon name="trash" size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {deleting && (
        <TypedConfirm
          title={t.remove.keyTitle}
          word={t.remove.keyWord}
          action={t.remove.keyAction}
          onConfirm={async () => {
            await vault.keys.remove({ id: application_id, keyId: deleting.id })
            await loadKeyUses()
            toast(t.drawer.keyRemoved)
          }}
          onClose={() => setDeleting(null)}
        >
          {t.remove.keyText}
        </TypedConfirm>
      )}
    </>
  )
}
