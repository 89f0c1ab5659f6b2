import { TextInput } from '@mantine/core'
import { vault } from '../../../parts/connection/vault.ts'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
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
    <DialogForm
      {...{ form, onClose }}
      title={t.title}
      size={420}
      action={t.act}
      problem={<Problem of={form.problem} placedFields={['expires_at']} />}
    >
      <TextInput label={t.expires} description={t.help} {...form.text('expires_at')} data-autofocus />
    </DialogForm>
  )
}
