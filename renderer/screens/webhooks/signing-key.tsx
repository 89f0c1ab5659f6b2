import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { SigningKey } from '../../../shared/schemas/webhook.ts'
import { followChanges } from '../../parts/connection/follow.ts'
import { useSession } from '../../parts/connection/session.ts'
import { Shown, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Part } from '../../ui/panel.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { Code } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'
import { verifyCode } from './verify.ts'

const t = strings.key
const PAGE = '/.well-known/webhooks.v1.key'

/** The key that signs events: its public half, how to verify with it, and its replacement (rule W-03). */
export function SigningKeys() {
  const loaded = useLoaded(async () => (await host.host.signingKeys()).keys)
  const { load } = loaded
  useEffect(() => followChanges(['signing_key'], load), [load])
  return (
    <div className="key-body">
      <Shown of={loaded} lines={8}>
        {(keys) => (
          <>
            <p>{t.text}</p>
            {keys.map((key, at) => (
              <Part key={key.id} title={at === 0 ? t.signs : t.next}>
                <Code text={key.public_key} what={t.what} wrap />
                <p className="part-help">
                  {t.made} <Time at={key.created_at} />
                </p>
              </Part>
            ))}
            <Address />
            <Part title={t.verify}>
              <p className="part-help">{t.verifyHelp}</p>
              <Code text={verifyCode} what={t.verify} wrap />
              <p className="part-help">{t.more}</p>
            </Part>
            <Rotation keys={keys} />
          </>
        )}
      </Shown>
    </div>
  )
}

function Address() {
  const listener = useSession(({ status }) => status?.listener)
  const url = listener?.state === 'on' ? listener.url : null
  return (
    <Part title={t.address}>
      {url === null ? (
        <p className="part-help">{t.off(PAGE)}</p>
      ) : (
        <>
          <Code text={`${url}${PAGE}`} what={t.address} wrap />
          <p className="part-help">{t.addressHelp}</p>
        </>
      )}
    </Part>
  )
}

function Rotation({ keys }: { keys: readonly SigningKey[] }) {
  const [asking, setAsking] = useState(false)
  const isBegun = keys.length > 1
  const words = isBegun ? t.finish : t.begin
  return (
    <Part title={t.rotation}>
      <p className="part-help">{words.text}</p>
      <Button variant="default" mt={8} onClick={() => setAsking(true)}>
        {words.button}
      </Button>
      {asking && <Confirm isBegun={isBegun} onClose={() => setAsking(false)} />}
    </Part>
  )
}

function Confirm({ isBegun, onClose }: { isBegun: boolean; onClose: () => void }) {
  // What is asked stays what it was when it was opened.
  const [begun] = useState(isBegun)
  const words = begun ? t.finish : t.begin
  const { act, problem, state } = useAct()
  const run = () =>
    act(async () => {
      await (begun ? host.host.finishSigningKeyRotation() : host.host.beginSigningKeyRotation())
      onClose()
      toast(words.done)
    })
  return (
    <Dialog title={words.title} onClose={onClose} size={460}>
      <Stack gap="sm">
        <Text size="sm">{words.confirm}</Text>
        <Problem of={problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button {...(begun && { color: 'red' })} loading={state === 'running'} onClick={run}>
            {words.action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
