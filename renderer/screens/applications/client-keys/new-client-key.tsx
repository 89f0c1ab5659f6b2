import { Button, Group, Stack, TextInput } from '@mantine/core'
import { vault } from '../../../parts/connection/vault.ts'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings as ui } from '../../../ui/strings.ts'
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
          <Group justify="flex-end" gap="xs">
            <ActionButton label={ui.cancel} onClick={onClose} />
            <Button type="submit" loading={form.state === 'running'}>
              {t.act}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
