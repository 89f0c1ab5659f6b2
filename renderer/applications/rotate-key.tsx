import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../shared/schemas/application.ts'
import { sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { toast } from '../toast.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { Fact, Facts } from '../ui/panel.tsx'
import { Steps } from '../ui/steps.tsx'
import { Time } from '../ui/time.tsx'
import { useOnce } from '../ui/use-once.ts'
import { vault } from '../vault.ts'
import { KeyOnce } from './key-once.tsx'
import { type KeyUse, loadKeyUses, useKeyUses } from './uses-store.ts'

const t = strings.applications.rotate

/** A key is replaced without a gap: new key, copy, watch the old one, delete it. */
export function RotateKey({ application, onClose }: { application: Application; onClose: () => void }) {
  const keys = useKeyUses((state) => state.keys).filter((key) => key.application_id === application.id)
  const [step, setStep] = useState(0)
  const [made, setMade] = useState<{ id: string; key: string } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const fresh = keys.find((key) => key.id === made?.id)
  // The one used last is the one programs have.
  const old = keys
    .filter((key) => key.id !== made?.id)
    .toSorted((a, b) => (b.last_used_at ?? '').localeCompare(a.last_used_at ?? ''))[0]

  async function act(run: () => Promise<void>) {
    setProblem(null)
    try {
      await run()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  const make = useOnce(() =>
    act(async () => {
      const { id, key = '' } = await vault.keys.create({ id: application.id })
      setMade({ id, key })
      await loadKeyUses()
      setStep(1)
    }),
  )
  const remove = useOnce(() =>
    act(async () => {
      if (old) await vault.keys.remove({ id: application.id, keyId: old.id })
      await loadKeyUses()
      onClose()
      toast(t.done)
    }),
  )

  return (
    <Dialog onClose={onClose} title={t.title(application.name)} size={560}>
      <Stack gap="md">
        <Steps names={t.steps} at={step} />
        {step === 0 && (
          <>
            <p className="step-text">{t.begin}</p>
            {keys.length >= 3 && <Failure>{t.full}</Failure>}
            <Next label={t.make} onClick={make} disabled={keys.length >= 3} />
          </>
        )}
        {step === 1 && made && (
          <>
            <KeyOnce appKey={made.key} />
            <Next label={t.copied} onClick={() => setStep(2)} />
          </>
        )}
        {step === 2 && (
          <>
            <p className="step-text">{t.watch}</p>
            <Facts>
              <Fact name={t.old}>
                <LastUse use={old} />
              </Fact>
              <Fact name={t.fresh}>
                <LastUse use={fresh} />
              </Fact>
            </Facts>
            <Next label={t.next} onClick={() => setStep(3)} />
          </>
        )}
        {step === 3 && (
          <>
            <p className="step-text">{t.remove}</p>
            <Facts>
              <Fact name={t.old}>
                <LastUse use={old} />
              </Fact>
            </Facts>
            <Next label={t.removeAction} onClick={remove} danger />
          </>
        )}
        {problem !== null && <Failure>{problem}</Failure>}
      </Stack>
    </Dialog>
  )
}

function LastUse({ use }: { use: KeyUse | undefined }) {
  if (!use) return strings.ui.never
  return (
    <span>
      <span className="mono">{use.id.slice(0, 8)}</span>{' '}
      <span className="faint">
        {t.lastUse} {use.last_used_at === null ? strings.ui.never : <Time at={use.last_used_at} />}
      </span>
    </span>
  )
}

type NextProps = {
  readonly label: string
  readonly onClick: () => void
  readonly disabled?: boolean
  readonly danger?: boolean
}

function Next({ label, onClick, disabled, danger }: NextProps) {
  return (
    <Group justify="flex-end">
      <Button onClick={onClick} disabled={disabled === true} color={danger ? 'red' : 'teal'} data-autofocus>
        {label}
      </Button>
    </Group>
  )
}
