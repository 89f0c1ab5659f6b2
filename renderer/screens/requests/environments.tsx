import { Button, Group, PasswordInput, Select, TextInput } from '@mantine/core'
import { useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { useSession } from '../../parts/connection/session.ts'
import { DialogForm } from '../../parts/forms/form-dialog.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { type KeyValuePair, PairsInput, toMap, toPairs } from '../../ui/fields/pairs-input.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { useBuilder } from './builder-store.ts'
import { type Environment, removeDraft, saveEnvironment, useDrafts } from './drafts-store.ts'
import { strings } from './strings.ts'

const t = strings.environments

/** Selects an environment, so that its application sends the requests and its variables are filled in. */
function selectEnvironment(id: string | null): void {
  const environment = useDrafts.getState().environments.find((each) => each.id === id)
  useDrafts.setState({ environment: environment?.id ?? null })
  if (environment) useBuilder.setState({ as: environment.as })
}

/** Selects an environment, and asks for the dialog that edits it. */
export function Environments({ onEdit }: { readonly onEdit: (environment: EditedEnvironment) => void }) {
  const { environments, environment } = useDrafts()
  const current = environments.find(({ id }) => id === environment)
  return (
    <Group gap={2} wrap="nowrap">
      <Select
        w={160}
        aria-label={t.label}
        placeholder={t.none}
        clearable
        data={environments.map(({ id, name }) => ({ value: id, label: markText(name) }))}
        value={environment}
        onChange={selectEnvironment}
      />
      {current && <IconButton icon="pencil" label={t.edit} hasTooltip onClick={() => onEdit(current)} />}
      <IconButton icon="plus" label={t.create} hasTooltip onClick={() => onEdit('new')} />
    </Group>
  )
}

export type EditedEnvironment = Environment | 'new'
type Props = { readonly edited: EditedEnvironment; readonly onClose: () => void }

export function EnvironmentDialog({ edited, onClose }: Props) {
  const environment = edited === 'new' ? null : edited
  const { rows: applications } = useApplications()
  const form = useForm({
    initial: {
      name: environment?.name ?? '',
      as: environment?.as ?? null,
      pairs: toPairs(environment?.variables ?? {}) as readonly KeyValuePair[],
    },
    getUnsavedInput: (values) => values,
    check: ({ name, pairs }) => ({
      ...(name.trim() === '' && { name: t.needsName }),
      ...(pairs.some(({ key }) => key !== '' && !/^[A-Za-z_]\w*$/.test(key)) && { pairs: t.badName }),
    }),
    send: ({ name, as, pairs }) =>
      saveEnvironment({
        id: environment?.id ?? null,
        name: name.trim(),
        as,
        variables: toMap(pairs),
      }),
    onDone: () => {
      useBuilder.setState({ as: form.values.as })
      onClose()
    },
  })
  const { values, change, errors } = form
  return (
    <DialogForm
      {...{ form, onClose }}
      title={environment ? t.editTitle : t.createTitle}
      size="lg"
      action={t.save}
      buttons={
        environment && (
          <Button
            variant="subtle"
            color="red"
            onClick={() => removeDraft(environment.id).then(onClose, showFailureToast)}
          >
            {t.remove}
          </Button>
        )
      }
    >
      <TextInput label={t.name} required data-autofocus {...form.text('name')} />
      <Select
        label={t.as}
        searchable
        allowDeselect={false}
        data={listSenders(applications)}
        value={values.as ?? OWNER}
        onChange={(value) => change({ as: value === OWNER ? null : value })}
      />
      <PairsInput
        label={t.variables}
        help={t.help}
        labels={t.pair}
        pairs={values.pairs}
        onChange={(pairs) => change({ pairs })}
        error={errors.pairs}
      />
    </DialogForm>
  )
}

const OWNER = 'owner'
const LISTENER = 'listener'

/** The choices of who sends a request through the window. */
function listSenders(applications: readonly { readonly id: string; readonly name: string }[]) {
  return [
    { value: OWNER, label: access.actors.owner },
    ...applications.map(({ id, name }) => ({ value: id, label: markText(name) })),
  ]
}

/** Chooses who sends the request: the owner or an application through the window, or a key through the listener. */
export function Sender() {
  const { through, as } = useBuilder()
  const { rows: applications } = useApplications()
  const chooseSender = (value: string | null) =>
    value === LISTENER
      ? useBuilder.setState({ through: 'listener' })
      : useBuilder.setState({ through: 'window', as: value === OWNER ? null : value })
  return (
    <Select
      w={170}
      aria-label={strings.build.as}
      searchable
      allowDeselect={false}
      data={[
        { group: strings.build.throughs.window, items: listSenders(applications) },
        {
          group: strings.build.throughs.listener,
          items: [{ value: LISTENER, label: strings.build.withKey }],
        },
      ]}
      value={through === 'listener' ? LISTENER : (as ?? OWNER)}
      onChange={chooseSender}
    />
  )
}

/** The key for requests to the listener, and the button that starts it. */
export function SenderKey() {
  const { through, key } = useBuilder()
  const listener = useSession((session) => session.status?.listener.state)
  if (through !== 'listener') return null
  return (
    <Group gap="sm">
      <PasswordInput
        w={300}
        aria-label={strings.build.key}
        placeholder={strings.build.keyPlaceholder}
        title={strings.build.keyHelp}
        autoComplete="off"
        value={key}
        onChange={(event) => useBuilder.setState({ key: event.currentTarget.value.trim() })}
      />
      {listener !== 'on' && (
        <>
          <span className="dim">{strings.build.listenerOff}</span>
          <ActionButton label={strings.build.start} size="compact-xs" onClick={() => startListener()} />
        </>
      )}
    </Group>
  )
}
