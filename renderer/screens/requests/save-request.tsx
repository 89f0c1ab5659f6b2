import { TextInput } from '@mantine/core'
import { DialogForm } from '../../parts/forms/form-dialog.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { saveRequest, useDrafts } from './drafts-store.ts'
import type { RequestSnapshot } from './request-snapshot.ts'
import { strings } from './strings.ts'

const t = strings.saving

type Props = { readonly request: RequestSnapshot; readonly onClose: () => void }

/** Asks for a name and saves the request. */
export function SaveRequest({ request, onClose }: Props) {
  const { saved } = useDrafts()
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: t.needsName } : {}),
    send: ({ name }) => saveRequest({ ...request, name: name.trim() }),
    onDone: onClose,
  })
  const replaces = saved.some(({ name }) => name === form.values.name.trim())
  return (
    <DialogForm {...{ form, onClose }} title={t.title} action={t.save}>
      <TextInput
        label={t.name}
        description={replaces ? t.replaces : t.help}
        required
        data-autofocus
        maxLength={100}
        {...form.text('name')}
      />
    </DialogForm>
  )
}
