import { Group, TextInput } from '@mantine/core'
import { allowedDestination } from '../../../../shared/destinations.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings } from './strings.ts'

const t = strings

type Props = {
  readonly known: readonly string[]
  /** The host that the owner was asked about, to start with. */
  readonly asked: string
  readonly onAdd: (host: string) => Promise<void>
}

export function AddHost({ known, asked, onAdd }: Props) {
  const form = useForm({
    initial: () => ({ host: asked }),
    getUnsavedInput: ({ host }) => host,
    send: ({ host }) => onAdd(allowedDestination.parse(host)),
    onDone(): void {
      form.reset({ host: '' })
    },
  })
  const { host } = form.values
  const { data } = allowedDestination.safeParse(host)
  const wrong = host === '' ? undefined : findHostError(data, known)
  return (
    <form onSubmit={form.submit}>
      <Group align="start" gap="xs">
        <TextInput
          label={t.host}
          description={t.hostHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          classNames={{ input: 'mono' }}
          w={360}
          maxLength={255}
          {...form.text('host')}
          error={wrong}
        />
        <ActionButton label={t.allow} type="submit" mt={21} disabled={host === '' || wrong !== undefined} />
      </Group>
      <Problem of={form.problem} />
    </form>
  )
}

function findHostError(host: string | undefined, known: readonly string[]): string | undefined {
  if (host === undefined) return t.hostWrong
  return known.includes(host) ? t.known : undefined
}
