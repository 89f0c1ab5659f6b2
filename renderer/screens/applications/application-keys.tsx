import { Box } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { confirmLeave, useOneTimeKey } from '../../parts/navigation/unsaved.ts'
import { Chip } from '../../ui/chip.tsx'
import { Caution } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import loadingStyles from '../../ui/loading.module.css'
import { PanelSection } from '../../ui/panel.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './applications.module.css'
import { Connect } from './connect.tsx'
import { KeyHint, LastUse } from './key-hint.tsx'
import { OneTimeKeyView } from './one-time-key-view.tsx'
import { findRotation, type Rotation } from './rotation.ts'
import { strings } from './strings.ts'
import { loadKeyUses, useApplicationKeys, useKeyUses } from './uses-store.ts'

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
    <Box mb={8}>
      <Caution>
        <strong>{r.running}</strong> {r.runningNew} <KeyHint of={fresh} /> {r.runningMade}{' '}
        <Time at={fresh.created_at} />. {r.runningOld} <KeyHint of={old} /> {r.runningWorks}{' '}
        <ActionButton label={r.resume} size="compact-xs" onClick={onResume} />
      </Caution>
    </Box>
  )
}

function KeyList({ application, onDeleted }: { application: Application; onDeleted: (id: string) => void }) {
  const { as } = useViewAs()
  const loaded = useKeyUses((state) => state.loaded)
  const keys = useApplicationKeys(application.id)
  const [deletingId, setDeleting] = useState<string | null>(null)
  const deleting = keys.find(({ id }) => id === deletingId)
  const rotation = findRotation(keys)
  if (as) return <PlainKeys application={application} />
  if (!loaded) return <Box component="span" className={loadingStyles.bone} my={10} />
  if (keys.length === 0) return <span className="faint">{strings.drawer.noKeys}</span>
  return (
    <>
      <ul className={styles.keyList}>
        {keys.map((key) => (
          <li key={key.id} title={key.id}>
            <Icon name="key" size={14} />
            <KeyHint of={key} />
            {key.id === rotation?.fresh.id && <Chip tone="accent">{strings.hint.fresh}</Chip>}
            {key.id === rotation?.old.id && <Chip tone="amber">{strings.hint.old}</Chip>}
            <span className={`faint ${styles.keyTimes}`}>
              {strings.drawer.keyMade} <Time at={key.created_at} />, <LastUse of={key} />
            </span>
            <IconButton
              icon="trash"
              label={strings.drawer.removeKey(key.hint ?? strings.hint.unknown)}
              onClick={() => setDeleting(key.id)}
              size={24}
            />
          </li>
        ))}
      </ul>
      {deleting && (
        <InputConfirm
          title={strings.remove.keyTitle}
          word={strings.remove.keyWord}
          action={strings.remove.keyAction}
          onConfirm={async () => {
            await vault.keys.remove({ id: application.id, keyId: deleting.id })
            onDeleted(deleting.id)
            showToast(strings.drawer.keyRemoved(deleting.hint))
            await loadKeyUses()
          }}
          onClose={() => setDeleting(null)}
        >
          <p>
            <KeyHint of={deleting} /> {strings.remove.keyOf}{' '}
            <strong>
              <MarkedText text={application.name} />
            </strong>
            , {strings.drawer.keyMade} <Time at={deleting.created_at} />, <LastUse of={deleting} />.
          </p>
          <p>{strings.remove.keyText}</p>
        </InputConfirm>
      )}
    </>
  )
}

/** The keys as a program receives them from the API. */
function PlainKeys({ application }: { application: Application }) {
  if (application.keys.length === 0) return <span className="faint">{strings.drawer.noKeys}</span>
  return (
    <ul className={styles.keyList}>
      {application.keys.map((key) => (
        <li key={key.id}>
          <Icon name="key" size={14} />
          <span className="mono clip">{key.id}</span>
          {key.created_at !== undefined && (
            <span className={`faint ${styles.keyTimes}`}>
              {strings.drawer.keyMade} <Time at={key.created_at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
