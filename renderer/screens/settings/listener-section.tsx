import { Button, Group, NumberInput, Switch, TagsInput } from '@mantine/core'
import type { HostSettings, HostStatus } from '../../../shared/host.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Problem } from '../../parts/messages/problem.tsx'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { saveSettings } from './save-settings.ts'
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

/** The edited settings that differ from the stored ones. */
function changesOf(draft: Draft, settings: HostSettings): Draft {
  const changed = names.filter(
    (name) => name in draft && JSON.stringify(draft[name]) !== JSON.stringify(settings[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, draft[name]]))
}

/** Port, allowed web origins and host names. */
export function ListenerSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const form = useForm({
    initial: (): Typed => ({ draft: {}, isEmptied: false }),
    typed: ({ draft }) => changesOf(draft, settings),
    check: ({ isEmptied }): Readonly<Record<string, string>> => (isEmptied ? { port: t.portNeeded } : {}),
    send: ({ draft }) => saveSettings(changesOf(draft, settings), settings),
    done(): void {
      form.reset({ draft: {}, isEmptied: false })
    },
  })
  const { draft, isEmptied } = form.values
  const below = (name: string) => Object.entries(form.errors).find(([path]) => path.startsWith(name))?.[1]
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
          error={isEmptied ? t.portNeeded : below('port')}
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
        {!names.some(below) && <Problem of={form.problem} />}
        <Group className="settings-save">
          <Button type="submit" disabled={!form.isTyped || isEmptied}>
            {strings.save}
          </Button>
        </Group>
      </form>
    </Section>
  )
}
