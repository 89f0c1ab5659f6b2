import { Button, Group, Stack } from '@mantine/core'
import type { HostStatus } from '../../../../shared/host.ts'
import { host } from '../../../parts/connection/vault.ts'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { toast } from '../../../parts/messages/toast.tsx'
import {
  NewPassphrase,
  noPassphrase,
  passphraseErrors,
  type TypedPassphrase,
} from '../../../parts/vaults/new-passphrase.tsx'
import { ProtectionChoice } from '../../../parts/vaults/protection-choice.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.protection
const kinds = ['keychain', 'passphrase'] as const
type Kind = (typeof kinds)[number]

type Draft = TypedPassphrase & { readonly kind: Kind }

type Props = {
  /** What opens the vault now. */
  readonly protection: Kind
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** Changes what opens the vault: the keychain or a new passphrase. */
export function ChangeProtection({ protection, keychain, onClose }: Props) {
  const form = useForm({
    initial: (): Draft => ({ kind: 'passphrase', ...noPassphrase }),
    typed: ({ first, again }) => [first, again],
    check: (draft) => (draft.kind === 'passphrase' ? passphraseErrors(draft) : {}),
    send: ({ kind, first }) =>
      host.host.changeProtection({
        protection: kind === 'keychain' ? { keychain: true } : { passphrase: first },
      }),
    done() {
      onClose()
      toast(kind === 'passphrase' && protection === 'passphrase' ? t.changed : t.moved[kind])
    },
  })
  const { kind } = form.values
  const same = kind === 'keychain' && protection === 'keychain'

  return (
    <FormDialog onClose={onClose} title={t.dialog} size={480}>
      <form onSubmit={form.submit}>
        <Stack gap="sm">
          <ProtectionChoice
            kinds={kinds}
            keychain={keychain}
            value={kind}
            onChange={(kind) => form.change({ kind })}
          />
          {kind === 'passphrase' && <NewPassphrase form={form} labels={t.labels} />}
          <p className="field-help">{t.note}</p>
          <Problem of={form.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={form.state === 'running'} disabled={same}>
              {t.submit[kind]}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
