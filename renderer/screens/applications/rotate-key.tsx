import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { confirmLeave, useOneTimeKey, useUnsaved } from '../../parts/navigation/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Caution, Failure } from '../../ui/failure.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Properties } from '../../ui/properties.tsx'
import { Steps } from '../../ui/steps.tsx'
import { KeyHint, LastUse } from './key-hint.tsx'
import { OneTimeKeyView } from './one-time-key-view.tsx'
import { findRotation, isOldKeyUnused, type Rotation } from './rotation.ts'
import { strings } from './strings.ts'
import { type KeyUseSummary, loadKeyUses, useApplicationKeys } from './uses-store.ts'

const t = strings.rotate
const MAX_KEYS = 3

/**
 * Replaces a key without downtime: create a new key, copy it, wait until the old one is no longer used,
 * delete it. The vault stores the rotation, so the dialog can be closed at any step and continued later.
 */
export function RotateKey({ application, onClose }: { application: Application; onClose: () => void }) {
  const { id, name } = application
  const keys = useApplicationKeys(id)
  const rotation = findRotation(keys)
  const [newKey, setNewKey] = useState<string | null>(null)
  const [isDeleting, setDeleting] = useState(false)
  const { runAction, problem } = useAction()
  const once = useOneTimeKey(newKey)

  async function startRotation(old: KeyUseSummary) {
    const { key = '' } = await vault.keys.replace({ id, keyId: old.id })
    setNewKey(key)
    await loadKeyUses()
  }
  async function restartRotation({ fresh, old }: Rotation) {
    await vault.keys.remove({ id, keyId: fresh.id })
    await startRotation(old)
  }
  async function keepBoth({ fresh }: Rotation) {
    await vault.keys.keep({ id, keyId: fresh.id })
    onClose()
    showToast(t.keptBoth)
    await loadKeyUses()
  }
  async function finishRotation({ old }: Rotation) {
    await vault.keys.remove({ id, keyId: old.id })
    onClose()
    showToast(t.done)
    await loadKeyUses()
  }
  function handleClose() {
    // Escape reaches every open dialog; the confirmation on top handles it first.
    if (useUnsaved.getState().pendingQuestion === null) confirmLeave(onClose)
  }

  const step = newKey !== null ? 1 : rotation === null ? 0 : isDeleting ? 3 : 2
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The button that had the focus was removed with its step.
    if (step > 1) box.current?.closest<HTMLElement>('[role=dialog]')?.focus()
  }, [step])
  return (
    <Dialog onClose={handleClose} title={t.title(name)} size={560}>
      <Stack gap="md" ref={box}>
        <Steps names={t.steps} at={step} />
        {newKey !== null && (
          <>
            <OneTimeKeyView appKey={newKey} isCopied={once.isCopied} onCopied={once.markCopied} />
            <Group justify="flex-end">
              <Button
                onClick={() => {
                  once.markCopied()
                  setNewKey(null)
                }}
              >
                {t.copied}
              </Button>
            </Group>
          </>
        )}
        {step === 0 && <StartStep keys={keys} onStart={(old) => runAction(() => startRotation(old))} />}
        {step === 2 && rotation && (
          <WatchStep
            rotation={rotation}
            onNext={() => setDeleting(true)}
            onLost={() => runAction(() => restartRotation(rotation))}
            onKeepBoth={() => runAction(() => keepBoth(rotation))}
          />
        )}
        {step === 3 && rotation && (
          <DeleteStep
            rotation={rotation}
            onBack={() => setDeleting(false)}
            onDelete={() => runAction(() => finishRotation(rotation))}
          />
        )}
        <Problem of={problem} />
      </Stack>
    </Dialog>
  )
}

function StartStep({
  keys,
  onStart,
}: {
  keys: readonly KeyUseSummary[]
  onStart: (old: KeyUseSummary) => void
}) {
  const [picked, pick] = useState<string | null>(null)
  const old = keys.find(({ id }) => id === picked) ?? keys.at(-1)
  const isFull = keys.length >= MAX_KEYS
  return (
    <>
      <Text c="dimmed" size="sm">
        {t.begin}
      </Text>
      {isFull && <Failure>{t.full}</Failure>}
      {!isFull && keys.length > 1 && old && (
        <Radio.Group label={t.which} value={old.id} onChange={pick}>
          <Stack gap={6} mt={6}>
            {keys.map((key) => (
              <Radio key={key.id} value={key.id} label={<KeyUse of={key} />} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <Group justify="flex-end">
        <Button onClick={() => old && onStart(old)} disabled={isFull || !old} data-autofocus>
          {t.make}
        </Button>
      </Group>
    </>
  )
}

function KeyUse({ of }: { of: KeyUseSummary }) {
  return (
    <>
      <KeyHint of={of} />{' '}
      <span className="dim">
        <LastUse of={of} />
      </span>
    </>
  )
}

function KeyPairFacts({ rotation: { old, fresh } }: { rotation: Rotation }) {
  return <Properties of={{ [t.old]: <KeyUse of={old} />, [t.fresh]: <KeyUse of={fresh} /> }} />
}

type WatchProps = {
  readonly rotation: Rotation
  readonly onNext: () => void
  readonly onLost: () => void
  readonly onKeepBoth: () => void
}

function WatchStep({ rotation, onNext, onLost, onKeepBoth }: WatchProps) {
  const isOldUnused = isOldKeyUnused(rotation)
  const isUnused = rotation.fresh.last_used_at === null
  return (
    <>
      <Text c="dimmed" size="sm">
        {t.watch}
      </Text>
      <KeyPairFacts rotation={rotation} />
      <Group justify="space-between" gap="xs">
        <Text c="dimmed" size="sm" role="status">
          {isOldUnused ? t.quiet : isUnused ? t.notMoved : t.stillUsed}
        </Text>
        {isUnused && <ActionButton label={t.lost} size="compact-xs" onClick={onLost} />}
      </Group>
      <Group justify="space-between" gap="xs">
        <ActionButton label={t.keepBoth} onClick={onKeepBoth} />
        <Group gap="xs">
          {!isOldUnused && <ActionButton label={t.early} onClick={onNext} />}
          <Button onClick={onNext} disabled={!isOldUnused}>
            {t.next}
          </Button>
        </Group>
      </Group>
    </>
  )
}

type LastProps = { readonly rotation: Rotation; readonly onBack: () => void; readonly onDelete: () => void }

function DeleteStep({ rotation, onBack, onDelete }: LastProps) {
  const isUnused = rotation.fresh.last_used_at === null
  return (
    <>
      <Text c="dimmed" size="sm">
        {t.remove}
      </Text>
      <KeyPairFacts rotation={rotation} />
      {!isOldKeyUnused(rotation) && <Caution>{isUnused ? t.breaksUnmoved : t.breaksUsed}</Caution>}
      <Group justify="flex-end" gap="xs">
        <ActionButton label={t.back} onClick={onBack} />
        <Button color="red" onClick={onDelete}>
          {t.removeAction}
        </Button>
      </Group>
    </>
  )
}
