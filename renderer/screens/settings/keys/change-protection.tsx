import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host.ts'
import { host } from '../../../parts/connection/vault.ts'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { sentenceOf } from '../../../parts/messages/sentence.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { NewPassphrase, useNewPassphrase } from '../../../parts/vaults/new-passphrase.tsx'
import { ProtectionChoice } from '../../../parts/vaults/protection-choice.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.protection
const kinds = ['keychain', 'passphrase'] as const
type Kind = (typeof kinds)[number]

type Props = {
  /** What opens the vault now. */
  readonly protection: Kind
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** Keychain, passphrase, or another passphrase, from now on. */
export function ChangeProtection({ protection, keychain, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('passphrase')
  const passphrase = useNewPassphrase()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const same = kind === 'keychain' && protection === 'keychain'

  async function change() {
    passphrase.insist()
    if (kind === 'passphrase' && passphrase.value === null) return
    setBusy(true)
    setProblem(null)
    try {
      await host.host.changeProtection({
        protection: kind === 'keychain' ? { keychain: true } : { passphrase: passphrase.value ?? '' },
      })
      onClose()
      toast(kind === 'passphrase' && protection === 'passphrase' ? t.changed : t.moved[kind])
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
    }
  }

  return (
    <FormDialog typed={[passphrase.first, passphrase.again]} onClose={onClose} title={t.dialog} size={480}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          change()
        }}
      >
        <Stack gap="sm">
          <ProtectionChoice kinds={kinds} keychain={keychain} value={kind} onChange={setKind} />
          {kind === 'passphrase' && <NewPassphrase passphrase={passphrase} labels={t.labels} />}
          <p className="field-help">{t.note}</p>
          {problem !== null && <Failure>{problem}</Failure>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={same}>
              {t.submit[kind]}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
