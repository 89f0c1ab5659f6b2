import { Group, PasswordInput, Select } from '@mantine/core'
import { useApplications } from '../../parts/access/application-names.ts'
import { strings as access } from '../../parts/access/strings.ts'
import { useSession } from '../../parts/connection/session.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { useBuilder } from './builder-store.ts'
import { strings } from './strings.ts'

const t = strings.build
export const OWNER = 'owner'
const LISTENER = 'listener'

/** The choices of who sends a request through the window. */
export function listSenders(applications: readonly { readonly id: string; readonly name: string }[]) {
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
      aria-label={t.as}
      searchable
      allowDeselect={false}
      data={[
        { group: t.throughs.window, items: listSenders(applications) },
        { group: t.throughs.listener, items: [{ value: LISTENER, label: t.withKey }] },
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
        aria-label={t.key}
        placeholder={t.keyPlaceholder}
        title={t.keyHelp}
        autoComplete="off"
        value={key}
        onChange={(event) => useBuilder.setState({ key: event.currentTarget.value.trim() })}
      />
      {listener !== 'on' && (
        <>
          <span className="dim">{t.listenerOff}</span>
          <ActionButton label={t.start} size="compact-xs" onClick={() => startListener()} />
        </>
      )}
    </Group>
  )
}
