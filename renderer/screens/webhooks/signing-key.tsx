import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SigningKey } from '../../../shared/schemas/webhook.ts'
import { useSession } from '../../parts/connection/session.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { PanelSection } from '../../ui/panel.tsx'
import { Code } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'
import { verifyCode } from './verify.ts'
import styles from './webhooks.module.css'

const t = strings.key
const KEY_PATH = '/.well-known/webhooks.v1.key'

/** The key that signs events: its public key, code that verifies a signature, and its rotation (rule W-03). */
export function SigningKeys() {
  const loaded = useLoaded(async () => (await host.signingKeys()).keys, { follows: ['signing_key'] })
  return (
    <div className={styles.keyBody}>
      <LoadedView of={loaded} lines={8}>
        {(keys) => (
          <>
            <p>{t.text}</p>
            {keys.map((key, at) => (
              <PanelSection key={key.id} title={at === 0 ? t.signs : t.next}>
                <Code text={key.public_key} what={t.what} wrap />
                <p className="note">
                  {t.made} <Time at={key.created_at} />
                </p>
              </PanelSection>
            ))}
            <Address />
            <PanelSection title={t.verify}>
              <p className="note">{t.verifyHelp}</p>
              <Code text={verifyCode} what={t.verify} wrap />
              <p className="note">{t.more}</p>
            </PanelSection>
            <Rotation keys={keys} />
          </>
        )}
      </LoadedView>
    </div>
  )
}

function Address() {
  const listener = useSession(({ status }) => status?.listener)
  const url = listener?.state === 'on' ? listener.url : null
  return (
    <PanelSection title={t.address}>
      {url === null ? (
        <p className="note">{t.off(KEY_PATH)}</p>
      ) : (
        <>
          <Code text={`${url}${KEY_PATH}`} what={t.address} wrap />
          <p className="note">{t.addressHelp}</p>
        </>
      )}
    </PanelSection>
  )
}

function Rotation({ keys }: { keys: readonly SigningKey[] }) {
  const [asking, setAsking] = useState(false)
  const isRotating = keys.length > 1
  const labels = isRotating ? t.finish : t.begin
  return (
    <PanelSection title={t.rotation}>
      <p className="note">{labels.text}</p>
      <ActionButton label={labels.button} mt={8} onClick={() => setAsking(true)} />
      {asking && <Confirm isRotating={isRotating} onClose={() => setAsking(false)} />}
    </PanelSection>
  )
}

function Confirm({ isRotating, onClose }: { isRotating: boolean; onClose: () => void }) {
  // Read once when the dialog opens, so that the text does not change while the dialog is open.
  const [wasRotating] = useState(isRotating)
  const labels = wasRotating ? t.finish : t.begin
  const { runAction, problem, state } = useAction()
  const runRotationStep = () =>
    runAction(async () => {
      await (wasRotating ? host.finishSigningKeyRotation() : host.beginSigningKeyRotation())
      onClose()
      showToast(labels.done)
    })
  return (
    <Dialog title={labels.title} onClose={onClose} size={460}>
      <Stack gap="sm">
        <Text size="sm">{labels.confirm}</Text>
        <Problem of={problem} />
        <DialogButtons
          action={labels.action}
          onCancel={onClose}
          {...(wasRotating && { color: 'red' })}
          loading={state === 'running'}
          onAction={runRotationStep}
        />
      </Stack>
    </Dialog>
  )
}
