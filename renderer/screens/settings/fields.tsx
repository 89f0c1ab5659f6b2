import { Group, Switch } from '@mantine/core'
import { Children, type ReactNode } from 'react'
import type { HostSettings } from '../../../shared/host/settings.ts'
import { useSession } from '../../parts/connection/session.ts'
import type { FormState } from '../../parts/forms/use-form.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { saveKey } from '../../ui/keys/save-key.ts'
import { saveSettings } from './save-settings.ts'
import { type SectionName, sections } from './sections.ts'
import styles from './settings.module.css'
import { strings as t } from './strings.ts'

type SwitchName = {
  [Name in keyof HostSettings]: HostSettings[Name] extends boolean ? Name : never
}[keyof HostSettings]

type SettingSwitchProps = {
  readonly name: SwitchName
  readonly label: string
  readonly description?: string
}

/** A switch that saves its setting at once. */
export function SettingSwitch({ name, ...texts }: SettingSwitchProps) {
  const isOn = useSession(({ status }) => status?.settings[name] === true)
  return (
    <Switch
      {...texts}
      checked={isOn}
      onChange={() => saveSettings({ [name]: !isOn }).catch(showFailureToast)}
    />
  )
}

type LineFormProps = {
  readonly form: Pick<FormState<object>, 'submit' | 'problem'>
  readonly action: string
  readonly disabled?: boolean
  /** The fields that show their own messages. */
  readonly placed?: readonly string[]
  readonly children: ReactNode
}

/** A form on one line: its fields, then the button that sends them. */
export function LineForm({ form, action, disabled = false, placed = [], children }: LineFormProps) {
  return (
    <form noValidate onSubmit={form.submit}>
      <Group align="start" gap="xs">
        {children}
        <ActionButton label={action} type="submit" mt={21} disabled={disabled} {...saveKey} />
      </Group>
      <Problem of={form.problem} placedFields={placed} />
    </form>
  )
}

/** The button at the end of a long form, which stays in view. */
export function SaveBar({ isDirty }: { isDirty: boolean }) {
  return (
    <Group className={styles.save}>
      <ActionButton variant="filled" label={t.save} type="submit" disabled={!isDirty} {...saveKey} />
      {!isDirty && <span className="faint">{t.unchanged}</span>}
    </Group>
  )
}

type LinesProps = { readonly none: string; readonly label?: string; readonly children: ReactNode }

/** A list with one thing per line, or the sentence that there is none. */
export function Lines({ none, label, children }: LinesProps) {
  return (
    <>
      {Children.count(children) === 0 && <span className="faint">{none}</span>}
      <ul className={styles.vaultList} aria-label={label}>
        {children}
      </ul>
    </>
  )
}

type Props = { readonly name: SectionName; readonly text?: string; readonly children: ReactNode }

/** A section of the settings: a heading with an introduction, then its fields. */
export function Section({ name, text, children }: Props) {
  const title = sections[name]
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      {text !== undefined && <p className={styles.text}>{text}</p>}
      <div className={formStyles.root}>{children}</div>
    </section>
  )
}
