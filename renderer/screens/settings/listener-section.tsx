import { Button, Group, NumberInput, Switch, TagsInput } from '@mantine/core'
import type { HostSettings, HostStatus } from '../../../shared/host.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Problem } from '../../parts/messages/problem.tsx'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { listenerErrors } from './listener-errors.ts'
import { saveSettings } from './save-settings.ts'
import { changesIn } from './saved-text.ts'
import { Section } from './section.tsx'
import { strings } from './strings.ts'

const t = strings.listener
const names = ['port', 'origins', 'hosts'] as const
type Draft = Partial<Pick<HostSettings, (typeof names)[number]>>
type Typed = {
  /** The edited settings; the others are as stored. */
  readonly draft: Draft
  readonly isEmptied: boolean
}

/** Port, allowed web origins and host names. */
export function ListenerSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const form = useForm({
    initial: (): Typed => ({ draft: {}, isEmptied: false }),
    typed: ({ draft }) => changesIn(draft, settings),
    check: ({ draft, isEmptied }) => listenerErrors({ ...draft, isEmptied }),
    send: ({ draft }) => saveSettings(draft, settings),
    done(): void {
      form.reset({ draft: {}, isEmptied: false })
    },
  })
  const { draft, isEmptied } = form.values
  const below = (name: string) =>
    Object.entries(form.errors)
      .filter(([path]) => path === name || path.startsWith(`${name}[`))
      .map(([, message]) => message)
      .join(' ') || undefined
  const { port, origins, hosts } = { ...settings, ...draft }
  const change = (part: Draft) => form.change({ draft: { ...draft, ...part } })
  return (
    <Section name="listener" text={t.text}>
      <Group>
        <ListenerPill status={status} />
      </Group>
      <Switch
        label={t.onUnlock}
        checked={settings.listen_on_unlock}
        onChange={(event) =>
          saveSettings({ listen_on_unlock: event.currentTarget.checked }, settings).catch(toastFailure)
        }
      />
      <form className="form form-inner" onSubmit={form.submit}>
        <NumberInput
          label={t.port}
          description={t.portHelp}
          min={0}
          max={65535}
          allowDecimal={false}
          hideControls
          classNames={{ wrapper: 'settings-number' }}
          value={isEmptied ? '' : port}
          onChange={(value) => {
            const port = value === '' ? {} : { port: Number(value) }
            form.change({ draft: { ...draft, ...port }, isEmptied: value === '' })
          }}
          error={below('port') ?? (isEmptied && t.portNeeded)}
        />
        <TagsInput
          label={t.origins}
          description={t.originsHelp}
          value={origins}
          onChange={(value) => change({ origins: value })}
          error={below('origins')}
        />
        <TagsInput
          label={t.hosts}
          description={t.hostsHelp}
          value={hosts}
          onChange={(value) => change({ hosts: value })}
          error={below('hosts')}
        />
        <Problem of={form.problem} besides={names} />
        <Group className="settings-save">
          <Button type="submit" disabled={!form.isTyped}>
            {strings.save}
          </Button>
          {!form.isTyped && <span className="faint">{strings.unchanged}</span>}
        </Group>
      </form>
    </Section>
  )
}
