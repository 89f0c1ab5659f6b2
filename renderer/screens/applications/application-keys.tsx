import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { useLooking } from '../../parts/access/looking.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { leaving, useShownOnce } from '../../parts/navigation/unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { Part } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Connect } from './connect.tsx'
import { KeyHint } from './key-hint.tsx'
import { KeyList } from './key-list.tsx'
import { KeyOnce } from './key-once.tsx'
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

/** The keys of an application, a new one shown once, and the code that connects a program with it. */
export function ApplicationKeys({ application, rotation, onRotate }: Props) {
  const { as } = useLooking()
  const [made, setMade] = useState<{ readonly id: string; readonly key: string } | null>(null)
  const appKey = made?.key ?? null
  const once = useShownOnce(appKey)
  const { act, problem } = useAct()
  const make = () =>
    act(async () => {
      const { id, key = '' } = await vault.keys.create({ id: application.id })
      setMade({ id, key })
      await loadKeyUses()
    })
  return (
    <>
      <Part
        title={t.keys}
        aside={
          !as && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => leaving(make)}
              leftSection={<Icon name="plus" size={12} />}
            >
              {t.newKey}
            </Button>
          )
        }
      >
        {appKey !== null && <KeyOnce appKey={appKey} isKept={once.isKept} onKept={once.keep} />}
        <Problem of={problem} />
        {rotation && <Running rotation={rotation} onResume={onRotate} />}
        <KeyList
          application={application}
          // A key that has already been deleted need not be copied.
          onDeleted={(id) => setMade((shown) => (shown?.id === id ? null : shown))}
        />
      </Part>
      <Part title={t.connect}>
        <Connect
          type={application.type}
          appKey={appKey ?? t.keyUnknown}
          secret={appKey !== null}
          {...(appKey !== null && { onCopied: once.keep })}
        />
      </Part>
    </>
  )
}

/** An unfinished rotation. */
function Running({ rotation: { fresh, old }, onResume }: { rotation: Rotation; onResume: () => void }) {
  return (
    <div className="rotation">
      <Icon name="refresh" size={14} />
      <span>
        <strong>{r.running}</strong> {r.runningNew} <KeyHint of={fresh} /> {r.runningMade}{' '}
        <Time at={fresh.created_at} />. {r.runningOld} <KeyHint of={old} /> {r.runningWorks}
      </span>
      <Button size="compact-xs" variant="default" onClick={onResume}>
        {r.resume}
      </Button>
    </div>
  )
}
