import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { confirmLeave, useOneTimeKey } from '../../parts/navigation/unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { PanelSection } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './applications.module.css'
import { Connect } from './connect.tsx'
import { KeyHint } from './key-hint.tsx'
import { KeyList } from './key-list.tsx'
import { OneTimeKeyView } from './one-time-key-view.tsx'
import type { Rotation } from './rotation.ts'
import { strings } from './strings.ts'
import { loadKeyUses } from './uses-store.ts'

const t = strings.drawer
const r = strings.rotate

type Props = {
  readonly application: Application
  readonly rotation: Rotation | null
  readonly onRotate: () => void
}

/** The keys of an application. A new key is shown once, with code that connects a program. */
export function ApplicationKeys({ application, rotation, onRotate }: Props) {
  const { as } = useViewAs()
  const [created, setCreated] = useState<{ readonly id: string; readonly key: string } | null>(null)
  const appKey = created?.key ?? null
  const once = useOneTimeKey(appKey)
  const { runAction, problem } = useAction()
  const createKey = () =>
    runAction(async () => {
      const { id, key = '' } = await vault.keys.create({ id: application.id })
      setCreated({ id, key })
      await loadKeyUses()
    })
  return (
    <>
      <PanelSection
        title={t.keys}
        aside={
          !as && (
            <ActionButton
              icon="plus"
              label={t.newKey}
              size="compact-xs"
              onClick={() => confirmLeave(createKey)}
            />
          )
        }
      >
        {appKey !== null && (
          <OneTimeKeyView appKey={appKey} isCopied={once.isCopied} onCopied={once.markCopied} />
        )}
        <Problem of={problem} />
        {rotation && <Running rotation={rotation} onResume={onRotate} />}
        <KeyList
          application={application}
          // A deleted key need not be copied any more.
          onDeleted={(id) => setCreated((current) => (current?.id === id ? null : current))}
        />
      </PanelSection>
      <PanelSection title={t.connect}>
        <Connect
          type={application.type}
          appKey={appKey ?? t.keyUnknown}
          secret={appKey !== null}
          {...(appKey !== null && { onCopied: once.markCopied })}
        />
      </PanelSection>
    </>
  )
}

function Running({ rotation: { fresh, old }, onResume }: { rotation: Rotation; onResume: () => void }) {
  return (
    <div className={styles.rotation}>
      <Icon name="refresh" size={14} />
      <span>
        <strong>{r.running}</strong> {r.runningNew} <KeyHint of={fresh} /> {r.runningMade}{' '}
        <Time at={fresh.created_at} />. {r.runningOld} <KeyHint of={old} /> {r.runningWorks}
      </span>
      <ActionButton label={r.resume} size="compact-xs" onClick={onResume} />
    </div>
  )
}
