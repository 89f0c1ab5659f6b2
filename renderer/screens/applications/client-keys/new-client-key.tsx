import { Stack, TextInput } from '@mantine/core'
import { vault } from '../../../parts/connection/vault.ts'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { strings } from '../strings.ts'
import type { CreatedClientKey } from './one-time-client-key-view.tsx'

const t = strings.clientKeys.form

type Props = { readonly onClose: () => void; readonly onCreated: (created: CreatedClientKey) => void }

/** Asks for an expiry, then creates a client encryption key. */
export function NewClientKey({ onClose, onCreated }: Props) {
  const form = useForm({
    initial: { expires_at: '' },
    getUnsavedInput: (values) => values,
    send: ({ expires_at }) => vault.clientKeys.create(expires_at === '' ? {} : { expires_at }),
    onDone: onCreated,
  })
  return (
    <FormDialog title={t.title} onClose={onClose} size={420}>
      <form onSubmit={form.submit}>
        <Stack gap="sm">
          <TextInput label={t.expires} description={t.help} {...form.text('expires_at')} data-autofocus />
          {form.errors.expires_at === undefined && <Problem of={form.problem} />}
          <DialogButtons action={t.act} onCancel={onClose} loading={form.state === 'running'} />
        </Stack>
      </form>
    </FormDialog>
  )
}
