import { Group, TextInput } from '@mantine/core'
import { type Destinations, destinationOrigin } from '../../../../shared/destinations.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings } from './strings.ts'

const t = strings

type Props = {
  readonly known: Destinations['map']
  readonly onAdd: (from: string, to: string) => Promise<void>
}

/** Redirects calls from one origin to another. */
export function AddMap({ known, onAdd }: Props) {
  const form = useForm({
    initial: () => ({ from: '', to: '' }),
    getUnsavedInput: ({ from, to }) => from + to,
    send: ({ from, to }) => onAdd(destinationOrigin.parse(from), destinationOrigin.parse(to)),
    onDone(): void {
      form.reset({ from: '', to: '' })
    },
  })
  const { from, to } = form.values
  const origin = destinationOrigin.safeParse(from).data
  const isKnown = origin !== undefined && Object.hasOwn(known, origin)
  const fromWrong = isKnown ? t.known : findAddressError(from)
  const isReady = from !== '' && to !== '' && !fromWrong && !findAddressError(to)
  return (
    <form onSubmit={form.submit}>
      <Group align="start" gap="xs">
        <TextInput
          label={t.from}
          description={t.fromHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          classNames={{ input: 'mono' }}
          w={240}
          maxLength={255}
          {...form.text('from')}
          error={fromWrong}
        />
        <TextInput
          label={t.to}
          description={t.toHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          classNames={{ input: 'mono' }}
          w={240}
          maxLength={255}
          {...form.text('to')}
          error={findAddressError(to)}
        />
        <ActionButton label={t.map} type="submit" mt={21} disabled={!isReady} />
      </Group>
      <Problem of={form.problem} />
    </form>
  )
}

function findAddressError(address: string): string | undefined {
  return address === '' || destinationOrigin.safeParse(address).success ? undefined : t.originWrong
}
