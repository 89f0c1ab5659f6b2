import { Button, Group, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { leaving, useShownOnce, useUnsaved } from '../../parts/navigation/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Caution, Failure } from '../../ui/failure.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { Steps } from '../../ui/steps.tsx'
import { KeyHint, LastUse } from './key-hint.tsx'
import { KeyOnce } from './key-once.tsx'
import { isQuiet, type Rotation, rotationOf } from './rotation.ts'
import { strings } from './strings.ts'
import { type KeyUse, loadKeyUses, useKeysOf } from './uses-store.ts'

const t = strings.rotate
const MOST_KEYS = 3

/**
 * Replaces a key without downtime: create a new key, copy it, watch the old one, delete it. The vault stores the
 * rotation, so that the dialog can be closed at any step and continued later.
 */
export function RotateKey({ application, onClose }: { application: Application; onClose: () => void }) {
  const { id, name } = application
  const keys = useKeysOf(id)
  const rotation = rotationOf(keys)
  const [made, setMade] = useState<string | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const { act, problem } = useAct()
  const once = useShownOnce(made)

  async function begin(old: KeyUse) {
    const { key = '' } = await vault.keys.replace({ id, keyId: old.id })
    setMade(key)
    await loadKeyUses()
  }
  async function beginAgain({ fresh, old }: Rotation) {
    await vault.keys.remove({ id, keyId: fresh.id })
    await begin(old)
  }
  async function keepBoth({ fresh }: Rotation) {
    await vault.keys.keep({ id, keyId: fresh.id })
    onClose()
    toast(t.keptBoth)
    await loadKeyUses()
  }
  async function finish({ old }: Rotation) {
    await vault.keys.remove({ id, keyId: old.id })
    onClose()
    toast(t.done)
    await loadKeyUses()
  }
  function close() {
    // Escape reaches every open dialog: the question on top handles it first.
    if (useUnsaved.getState().asked === null) leaving(onClose)
  }

  const step = made !== null ? 1 : rotation === null ? 0 : isDeleting ? 3 : 2
  return (
    <Dialog onClose={close} title={t.title(name)} size={560}>
      <Stack gap="md">
        <Steps names={t.steps} at={step} />
        {made !== null && (
          <>
            <KeyOnce appKey={made} isKept={once.isKept} onKept={once.keep} />
            <Group justify="flex-end">
              <Button
                onClick={() => {
                  once.keep()
                  setMade(null)
                }}
              >
                {t.copied}
              </Button>
            </Group>
          </>
        )}
        {step === 0 && <Begin keys={keys} onBegin={(old) => act(() => begin(old))} />}
        {step === 2 && rotation && (
          <Watch
            rotation={rotation}
            onNext={() => setDeleting(true)}
            onLost={() => act(() => beginAgain(rotation))}
            onKeepBoth={() => act(() => keepBoth(rotation))}
          />
        )}
        {step === 3 && rotation && (
          <Last
            rotation={rotation}
            onBack={() => setDeleting(false)}
            onDelete={() => act(() => finish(rotation))}
          />
        )}
        <Problem of={problem} />
      </Stack>
    </Dialog>
  )
}

/** Asks which key to replace, if there is a choice. */
function Begin({ keys, onBegin }: { keys: readonly KeyUse[]; onBegin: (old: KeyUse) => void }) {
  const [picked, pick] = useState<string | null>(null)
  const old = keys.find(({ id }) => id === picked) ?? keys.at(-1)
  const isFull = keys.length >= MOST_KEYS
  return (
    <>
      <p className="step-text">{t.begin}</p>
      {isFull && <Failure>{t.full}</Failure>}
      {!isFull && keys.length > 1 && old && (
        <Radio.Group label={t.which} value={old.id} onChange={pick}>
          <Stack gap={6} mt={6}>
            {keys.map((key) => (
              <Radio
                key={key.id}
                value={key.id}
                label={
                  <>
                    <KeyHint of={key} />{' '}
                    <span className="dim">
                      <LastUse of={key} />
                    </span>
                  </>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <Group justify="flex-end">
        <Button onClick={() => old && onBegin(old)} disabled={isFull || !old} data-autofocus>
          {t.make}
        </Button>
      </Group>
    </>
  )
}

/** Both keys with their last use, updated live. */
function Both({ rotation: { old, fresh } }: { rotation: Rotation }) {
  return (
    <Facts>
      {[
        { name: t.old, key: old },
        { name: t.fresh, key: fresh },
      ].map(({ name, key }) => (
        <Fact key={name} name={name}>
          <span className="key-fact">
            <KeyHint of={key} />
            <span className="dim">
              <LastUse of={key} />
            </span>
          </span>
        </Fact>
      ))}
    </Facts>
  )
}

type WatchProps = {
  readonly rotation: Rotation
  readonly onNext: () => void
  readonly onLost: () => void
  readonly onKeepBoth: () => void
}

function Watch({ rotation, onNext, onLost, onKeepBoth }: WatchProps) {
  const quiet = isQuiet(rotation)
  const isUnused = rotation.fresh.last_used_at === null
  return (
    <>
      <p className="step-text">{t.watch}</p>
      <Both rotation={rotation} />
      <Group justify="space-between" gap="xs">
        <p className="step-text" role="status">
          {quiet ? t.quiet : isUnused ? t.notMoved : t.stillUsed}
        </p>
        {isUnused && (
          <Button variant="default" size="compact-xs" onClick={onLost}>
            {t.lost}
          </Button>
        )}
      </Group>
      <Group justify="space-between" gap="xs">
        <Button variant="default" onClick={onKeepBoth}>
          {t.keepBoth}
        </Button>
        <Group gap="xs">
          {!quiet && (
            <Button variant="default" onClick={onNext}>
              {t.early}
            </Button>
          )}
          <Button onClick={onNext} disabled={!quiet}>
            {t.next}
          </Button>
        </Group>
      </Group>
    </>
  )
}

type LastProps = { readonly rotation: Rotation; readonly onBack: () => void; readonly onDelete: () => void }

function Last({ rotation, onBack, onDelete }: LastProps) {
  const isUnused = rotation.fresh.last_used_at === null
  return (
    <>
      <p className="step-text">{t.remove}</p>
      <Both rotation={rotation} />
      {!isQuiet(rotation) && <Caution>{isUnused ? t.breaksUnmoved : t.breaksUsed}</Caution>}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          {t.back}
        </Button>
        <Button color="red" onClick={onDelete}>
          {t.removeAction}
        </Button>
      </Group>
    </>
  )
}
