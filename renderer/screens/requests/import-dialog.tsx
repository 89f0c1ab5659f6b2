import { useOperations } from '../../parts/api/operations.ts'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { useSession } from '../../parts/connection/session.ts'
import { DialogForm } from '../../parts/forms/form-dialog.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { Failure } from '../../ui/failure.tsx'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import { prefillRequest, useBuilder } from './builder-store.ts'
import { importCurl } from './import-curl.ts'
import { CurlImportError } from './shell-words.ts'
import { strings } from './strings.ts'

const t = strings.importing

type Props = {
  /** The command to begin with; empty for none. */
  readonly command: string
  readonly onClose: () => void
  readonly onPick: (op: string) => void
}

/** Fills the form from a pasted curl command. */
export function ImportDialog({ command, onClose, onPick }: Props) {
  const { operations } = useOperations()
  const base = useBaseUrl()
  const hosts = useSession(({ status }) => status?.settings.hosts) ?? []
  const form = useForm({
    initial: { line: command },
    send: async ({ line }) => importCurl(line, { operations, base, hosts }),
    onDone: ({ operation, draft, key, notes }) =>
      confirmLeave(() => {
        useBuilder.setState({ through: 'listener', ...(key !== '' && { key }) })
        prefillRequest(operation.id, draft, notes)
        onPick(operation.id)
        onClose()
      }),
  })
  const { line } = form.values
  return (
    <DialogForm
      {...{ form, onClose }}
      title={t.title}
      size="lg"
      action={t.take}
      disabled={line.trim() === ''}
      problem={
        form.problem instanceof CurlImportError ? <Failure>{form.problem.message}</Failure> : undefined
      }
    >
      <MonoArea
        data-autofocus
        label={t.line}
        description={t.help}
        minRows={5}
        maxRows={14}
        {...form.text('line')}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void form.submit()
        }}
      />
    </DialogForm>
  )
}
