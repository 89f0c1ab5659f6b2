import { Autocomplete, Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BulkAction, Selection } from '../../../shared/schemas/bulk.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { useSession } from '../connection/session.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { FormDialog } from '../forms/form-dialog.tsx'
import { useForm } from '../forms/use-form.ts'
import { sentenceOf } from '../messages/sentence.ts'
import { useCounts } from '../tokens/counts-store.ts'
import { ExportPart } from '../vaults/export-part.tsx'
import type { Asked } from './bulk-actions.ts'
import { begin, type Fixed, fixed } from './bulk-store.ts'
import { strings } from './strings.ts'

type Props = {
  readonly asked: Asked
  readonly selection: Selection
  /** Keys of metadata to suggest. */
  readonly keys: readonly string[]
  /** Called when it has begun. */
  readonly onBegun: () => void
  readonly onClose: () => void
}

/** Asks what is to be done with the selected tokens, with their true number. */
export function BulkDialog(props: Props) {
  const { asked, selection, onClose } = props
  const { value, problem } = useLoaded(() => fixed(selection))
  if (value) return <Question {...props} fixed={value} />
  return (
    <Dialog onClose={onClose} title={strings[asked].title(0).replace(/\b0 tokens\b/, '…')} size={420}>
      {problem ? <Failure>{sentenceOf(problem)}</Failure> : <Text size="sm">{strings.counting}</Text>}
    </Dialog>
  )
}

type QuestionProps = Props & { readonly fixed: Fixed }

function Question(props: QuestionProps) {
  switch (props.asked) {
    case 'remove':
      return <Remove {...props} />
    case 'exported':
      return <Export {...props} />
    default:
      return <Change {...props} asked={props.asked} />
  }
}

function Remove({ fixed, onBegun, onClose }: QuestionProps) {
  const { selection, tokens } = fixed
  const t = strings.remove
  return (
    <Dialog onClose={onClose} title={t.title(tokens)} size={420}>
      <Stack gap="sm">
        {'ids' in selection && selection.ids.length === 1 && (
          <Text size="sm" className="mono clip">
            {selection.ids[0]}
          </Text>
        )}
        <Text size="sm">{t.text(tokens)}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button
            color="red"
            data-autofocus
            onClick={() => {
              if (begin(fixed, { do: 'delete' })) onBegun()
            }}
          >
            {t.action(tokens)}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Export({ fixed: { name, tokens }, onClose }: QuestionProps) {
  const vault = useSession((session) => session.status?.vault)
  if (!vault) return null
  return (
    <Dialog onClose={onClose} title={strings.exported.title(tokens)} size={460}>
      <Stack gap="sm">
        <Text size="sm">{strings.exported.text}</Text>
        <ExportPart vault={vault} selection={name} onDone={onClose} />
      </Stack>
    </Dialog>
  )
}

type Values = {
  readonly containers: string[]
  readonly key: string
  readonly value: string
  readonly at: string
}
type Change = Exclude<Asked, 'remove' | 'exported'>

const actionOf: Record<Change, (values: Values) => BulkAction> = {
  move: ({ containers }) => ({ do: 'move', containers }),
  setMetadata: ({ key, value }) => ({ do: 'set metadata', key, value }),
  removeMetadata: ({ key }) => ({ do: 'remove metadata', key }),
  expire: ({ at }) => ({ do: 'expire', expires_at: at.trim() === '' ? null : at.trim() }),
}

function Change(props: QuestionProps & { readonly asked: Change }) {
  const { asked, fixed, keys, onBegun, onClose } = props
  const { counts } = useCounts()
  const form = useForm({
    initial: { containers: [], key: '', value: '', at: '' } as Values,
    typed: (values) => values,
    check({ containers, key }): Readonly<Record<string, string>> {
      if (asked === 'move' && containers.length === 0) return { containers: strings.move.missing }
      const needsKey = asked === 'setMetadata' || asked === 'removeMetadata'
      return needsKey && key === '' ? { key: strings.setMetadata.missing } : {}
    },
    async send(values) {
      return begin(fixed, actionOf[asked](values))
    },
    done: (isBegun) => isBegun && onBegun(),
  })
  const { at } = form.values
  const action = asked === 'expire' ? strings.expire.action(at.trim() === '') : strings[asked].action
  const fields: Record<Change, ReactNode> = {
    move: (
      <TagsInput
        label={strings.move.containers}
        description={strings.move.help}
        data={[...new Set(counts.map(({ container }) => container))]}
        value={form.values.containers}
        onChange={(containers) => form.change({ containers })}
        error={form.errors.containers}
        maxTags={10}
        data-autofocus
      />
    ),
    setMetadata: (
      <>
        <Key form={form} keys={keys} />
        <TextInput
          label={strings.setMetadata.value}
          description={strings.setMetadata.help}
          {...form.text('value')}
        />
      </>
    ),
    removeMetadata: <Key form={form} keys={keys} />,
    expire: (
      <TextInput
        label={strings.expire.at}
        description={strings.expire.help}
        {...form.text('at')}
        data-autofocus
      />
    ),
  }
  return (
    <FormDialog onClose={onClose} title={strings[asked].title(fixed.tokens)} size={420}>
      <form onSubmit={form.submit}>
        <Stack gap="sm">
          {fields[asked]}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit">{action}</Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}

function Key({ form, keys }: { form: ReturnType<typeof useForm<Values, void>>; keys: readonly string[] }) {
  return (
    <Autocomplete
      label={strings.setMetadata.key}
      data={[...keys]}
      value={form.values.key}
      onChange={(key) => form.change({ key })}
      error={form.errors.key}
      data-autofocus
    />
  )
}
