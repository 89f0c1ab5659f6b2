import { Group, NumberInput, TagsInput } from '@mantine/core'
import type { HostSettings } from '../../../shared/host/settings.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { Problem } from '../../parts/messages/problem.tsx'
import formStyles from '../../ui/form.module.css'
import { AsHostedSettings } from './as-hosted/as-hosted-settings.tsx'
import { SaveBar, Section, SettingSwitch } from './fields.tsx'
import { validateListener } from './listener-errors.ts'
import { saveSettings } from './save-settings.ts'
import { findChanges } from './saved-text.ts'
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
    send: ({ draft }) => saveSettings(draft),
    onDone: (): void => form.reset({ draft: {}, isEmptied: false }),
  })
  const { draft, isEmptied } = form.values
  const getErrorText = (name: string) =>
    Object.entries(form.errors)
      .filter(([path]) => path === name || path.startsWith(`${name}[`))
      .map(([, message]) => message)
      .join(' ') || undefined
  const edited = { ...settings, ...draft }
  return (
    <Section name="listener" text={t.text}>
      <Group>
        <ListenerPill status={status} />
      </Group>
      <SettingSwitch name="listen_on_unlock" label={t.onUnlock} />
      <SettingSwitch name="strict" label={t.strict} description={t.strictHelp} />
      <form className={`${formStyles.root} ${formStyles.inner}`} onSubmit={form.submit}>
        <NumberInput
          label={t.port}
          description={t.portHelp}
          min={0}
          max={65535}
          allowDecimal={false}
          hideControls
          styles={{ wrapper: { maxWidth: 140 } }}
          value={isEmptied ? '' : edited.port}
          onChange={(value) => {
            const port = value === '' ? {} : { port: Number(value) }
            form.change({ draft: { ...draft, ...port }, isEmptied: value === '' })
          }}
          error={getErrorText('port') ?? (isEmptied && t.portNeeded)}
        />
        {(['origins', 'hosts'] as const).map((name) => (
          <TagsInput
            key={name}
            label={t[name]}
            description={t[`${name}Help`]}
            value={edited[name]}
            onChange={(value) => form.change({ draft: { ...draft, [name]: value } })}
            error={getErrorText(name)}
          />
        ))}
        <Problem of={form.problem} placedFields={names} />
        <SaveBar isDirty={form.isDirty} />
      </form>
      <AsHostedSettings status={status} />
    </Section>
  )
}
