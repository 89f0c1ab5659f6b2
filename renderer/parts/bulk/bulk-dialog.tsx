import { Autocomplete, Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BulkAction, TokenSelection } from '../../../shared/schemas/bulk.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { useSession } from '../connection/session.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { DialogForm } from '../forms/form-dialog.tsx'
import { useForm } from '../forms/use-form.ts'
import { describeError } from '../messages/describe-error.ts'
import { useCounts } from '../tokens/counts-store.ts'
import { ExportSection } from '../vaults/export-section.tsx'
import type { BulkActionName } from './bulk-actions.ts'
import { type PinnedSelection, pinSelection, startBulkAction } from './bulk-store.ts'
import { strings } from './strings.ts'

type Props = {
  readonly actionName: BulkActionName
  readonly selection: TokenSelection
  readonly keys: readonly string[]
  readonly onStart: () => void
  readonly onClose: () => void
}

/** Asks for the details of a bulk action, and shows how many tokens it will change. */
export function BulkDialog(props: Props) {
  const { actionName, selection, onClose } = props
  const { value, problem } = useLoaded(() => pinSelection(selection))
  if (value) return <Question {...props} pinned={value} />
  return (
    <Dialog onClose={onClose} title={strings[actionName].title(null)} size={420}>
      {problem ? <Failure>{describeError(problem)}</Failure> : <Text size="sm">{strings.counting}</Text>}
    </Dialog>
  )
}

type QuestionProps = Props & { readonly pinned: PinnedSelection }

function Question(props: QuestionProps) {
  switch (props.actionName) {
    case 'remove':
      return <Remove {...props} />
    case 'exported':
      return <Export {...props} />
    default:
      return <BulkChangeName {...props} actionName={props.actionName} />
  }
}

function Remove({ pinned, onStart, onClose }: QuestionProps) {
  const { selection, tokens } = pinned
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
          <ActionButton label={ui.cancel} onClick={onClose} />
          <Button
            color="red"
            data-autofocus
            onClick={() => {
              if (startBulkAction(pinned, { do: 'delete' })) onStart()
            }}
          >
            {t.action(tokens)}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Export({ pinned: { name, tokens }, onClose }: QuestionProps) {
  const vault = useSession((session) => session.status?.vault)
  if (!vault) return null
  return (
    <Dialog onClose={onClose} title={strings.exported.title(tokens)} size={460}>
      <Stack gap="sm">
        <Text size="sm">{strings.exported.text}</Text>
        <ExportSection vault={vault} selection={name} onDone={onClose} />
      </Stack>
    </Dialog>
  )
}

type BulkValues = {
  readonly containers: string[]
  readonly key: string
  readonly value: string
  readonly at: string
}
type BulkChangeName = Exclude<BulkActionName, 'remove' | 'exported'>

const createAction: Record<BulkChangeName, (values: BulkValues) => BulkAction> = {
  move: ({ containers }) => ({ do: 'move', containers }),
  setMetadata: ({ key, value }) => ({ do: 'set metadata', key, value }),
  removeMetadata: ({ key }) => ({ do: 'remove metadata', key }),
  expire: ({ at }) => ({ do: 'expire', expires_at: at.trim() === '' ? null : at.trim() }),
}

function BulkChangeName(props: QuestionProps & { readonly actionName: BulkChangeName }) {
  const { actionName, pinned, keys, onStart, onClose } = props
  const { counts } = useCounts()
  const form = useForm({
    initial: { containers: [], key: '', value: '', at: '' } as BulkValues,
    getUnsavedInput: (values) => values,
    check({ containers, key }): Readonly<Record<string, string>> {
      if (actionName === 'move' && containers.length === 0) return { containers: strings.move.missing }
      const needsKey = actionName === 'setMetadata' || actionName === 'removeMetadata'
      return needsKey && key === '' ? { key: strings.setMetadata.missing } : {}
    },
    async send(values) {
      return startBulkAction(pinned, createAction[actionName](values))
    },
    onDone: (isStarted) => isStarted && onStart(),
  })
  const { at } = form.values
  const action =
    actionName === 'expire' ? strings.expire.action(at.trim() === '') : strings[actionName].action
  const fields: Record<BulkChangeName, ReactNode> = {
    move: (
      <TagsInput
        label={strings.move.containers}
        description={strings.move.help}
        data={[...new Set(counts.map(({ container }) => container))]}
        value={form.values.containers}
        onChange={(containers) => form.change({ containers })}
        error={form.errors.containers}
        maxTags={10}
        // The suggestions would cover the buttons of the dialog, and take its first Escape.
        openOnFocus={false}
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
    <DialogForm {...{ form, action, onClose }} title={strings[actionName].title(pinned.tokens)} size={420}>
      {fields[actionName]}
    </DialogForm>
  )
}

function Key({
  form,
  keys,
}: {
  form: ReturnType<typeof useForm<BulkValues, void>>
  keys: readonly string[]
}) {
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
