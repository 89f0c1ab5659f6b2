import { Button, Group, NumberInput, Switch, TagsInput } from '@mantine/core'
import type { HostSettings } from '../../../shared/host/settings.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Problem } from '../../parts/messages/problem.tsx'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import formStyles from '../../ui/form.module.css'
import { AsHostedSettings } from './as-hosted/as-hosted-settings.tsx'
import { validateListener } from './listener-errors.ts'
import { saveSettings } from './save-settings.ts'
import { findChanges } from './saved-text.ts'
import { Section } from './section.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.listener
const names = ['port', 'origins', 'hosts'] as const
type ListenerSettingsDraft = Partial<Pick<HostSettings, (typeof names)[number]>>
type ListenerEdit = {
  /** The edited settings; absent ones are unchanged. */
  readonly draft: ListenerSettingsDraft
  readonly isEmptied: boolean
}

/** Port, allowed web origins and host names. */
export function ListenerSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const form = useForm({
    initial: (): ListenerEdit => ({ draft: {}, isEmptied: false }),
    getUnsavedInput: ({ draft }) => findChanges(draft, settings),
    check: ({ draft, isEmptied }) => validateListener({ ...draft, isEmptied }),
    send: ({ draft }) => saveSettings(draft, settings),
    onDone(): void {
      form.reset({ draft: {}, isEmptied: false })
    },
  })
  const { draft, isEmptied } = form.values
  const getErrorText = (name: string) =>
    Object.entries(form.errors)
      .filter(([path]) => path === name || path.startsWith(`${name}[`))
      .map(([, message]) => message)
      .join(' ') || undefined
  const { port, origins, hosts } = { ...settings, ...draft }
  const changeSettings = (part: ListenerSettingsDraft) => form.change({ draft: { ...draft, ...part } })
  return (
    <Section name="listener" text={t.text}>
      <Group>
        <ListenerPill status={status} />
      </Group>
      <Switch
        label={t.onUnlock}
        checked={settings.listen_on_unlock}
        onChange={(event) =>
          saveSettings({ listen_on_unlock: event.currentTarget.checked }, settings).catch(showFailureToast)
        }
      />
      <Switch
        label={t.strict}
        description={t.strictHelp}
        checked={settings.strict}
        onChange={(event) =>
          saveSettings({ strict: event.currentTarget.checked }, settings).catch(showFailureToast)
        }
      />
      <form className={`${formStyles.root} ${formStyles.inner}`} onSubmit={form.submit}>
        <NumberInput
          label={t.port}
          description={t.portHelp}
          min={0}
          max={65535}
          allowDecimal={false}
          hideControls
          styles={{ wrapper: { maxWidth: 140 } }}
          value={isEmptied ? '' : port}
          onChange={(value) => {
            const port = value === '' ? {} : { port: Number(value) }
            form.change({ draft: { ...draft, ...port }, isEmptied: value === '' })
          }}
          error={getErrorText('port') ?? (isEmptied && t.portNeeded)}
        />
        <TagsInput
          label={t.origins}
          description={t.originsHelp}
          value={origins}
          onChange={(value) => changeSettings({ origins: value })}
          error={getErrorText('origins')}
        />
        <TagsInput
          label={t.hosts}
          description={t.hostsHelp}
          value={hosts}
          onChange={(value) => changeSettings({ hosts: value })}
          error={getErrorText('hosts')}
        />
        <Problem of={form.problem} placedFields={names} />
        <Group className={styles.save}>
          <Button type="submit" disabled={!form.isDirty}>
            {strings.save}
          </Button>
          {!form.isDirty && <span className="faint">{strings.unchanged}</span>}
        </Group>
      </form>
      <AsHostedSettings status={status} />
    </Section>
  )
}
