import { Button, Checkbox, Group, NumberInput, Select, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { SettingName } from '../../../shared/settings.ts'
import { followChanges } from '../../parts/follow.ts'
import { fieldErrorsOf, sentenceOf } from '../../parts/sentence.ts'
import { strings } from '../../parts/strings.ts'
import { toast } from '../../parts/toast.tsx'
import { useTyped } from '../../parts/unsaved.ts'
import { Shown, useLoaded } from '../../parts/use-loaded.tsx'
import { vault } from '../../parts/vault.ts'
import { Failure } from '../../ui/failure.tsx'
import { useOnce } from '../../ui/use-once.ts'
import { Section } from './section.tsx'

const t = strings.settings.tenant
const quotas = [
  'cvc_retention_seconds',
  'token_intent_retention_seconds',
  'log_retention_days',
  'tokens_per_tokenize',
  'expressions_per_detokenize',
] as const satisfies readonly SettingName[]
const flags = ['fingerprint_tokens', 'deduplicate_tokens'] as const satisfies readonly SettingName[]

type Tenant = { readonly name: string; readonly settings: Readonly<Record<string, string>> }

/** Whether two maps of settings say the same, in whatever order. */
function isEqual(a: Tenant['settings'], b: Tenant['settings']): boolean {
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name])
}

function options(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, label]) => ({ value, label }))
}

/** The tenant: name, quotas, limits, what happens to new tokens. */
export function TenantSection() {
  const tenant = useLoaded<Tenant>(readTenant)
  const { load } = tenant
  useEffect(() => followChanges(['tenant'], load), [load])
  return (
    <Section title={strings.settings.sections.tenant} text={t.text}>
      <Shown of={tenant} lines={9}>
        {(saved) => <TenantForm saved={saved} onSaved={tenant.set} />}
      </Shown>
    </Section>
  )
}

function readTenant(): Promise<Tenant> {
  return vault.tenants.get()
}

type FormProps = { readonly saved: Tenant; readonly onSaved: (tenant: Tenant) => void }

function TenantForm({ saved, onSaved }: FormProps) {
  const [changes, setChanges] = useState<Partial<Tenant>>({})
  const [problem, setProblem] = useState<unknown>(null)
  const draft = { name: changes.name ?? saved.name, settings: { ...saved.settings, ...changes.settings } }
  const { settings } = draft
  const set = (name: SettingName, value: string) =>
    setChanges({ ...changes, settings: { ...changes.settings, [name]: value } })
  const changed = draft.name !== saved.name || !isEqual(settings, saved.settings)
  useTyped(changed ? draft : null)

  async function put({ name, settings }: Tenant) {
    onSaved(await vault.tenants.update({ name, settings }))
    setChanges({})
  }
  const save = useOnce(async () => {
    if (!changed) return
    setProblem(null)
    try {
      await put(draft)
      toast(strings.settings.saved, { undo: () => put(saved) })
    } catch (error) {
      setProblem(error)
    }
  })
  const errors = fieldErrorsOf(problem)
  const below = (name: string) => errors[`settings.${name}`] ?? errors[name]

  return (
    <form
      className="form form-inner"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextInput
        label={t.name}
        value={draft.name}
        error={below('name')}
        onChange={(event) => setChanges({ ...changes, name: cut(event.currentTarget.value, 200)[0] })}
        maw={320}
      />
      <h3>{t.tokens}</h3>
      {flags.map((name) => (
        <Checkbox
          key={name}
          label={t.fields[name]}
          description={t.help[name]}
          checked={settings[name] === 'true'}
          onChange={(event) => set(name, String(event.currentTarget.checked))}
        />
      ))}
      <h3>{t.quotas}</h3>
      <div className="settings-numbers">
        {quotas.map((name) => (
          <NumberInput
            key={name}
            label={t.fields[name]}
            description={t.help[name]}
            min={1}
            allowDecimal={false}
            value={settings[name] ?? ''}
            error={below(name)}
            onChange={(value) => set(name, String(value))}
          />
        ))}
      </div>
      <h3>{t.limits}</h3>
      <Group align="end">
        <Select
          label={t.fields.rate_limits}
          description={t.help.rate_limits}
          w={240}
          data={options(t.rates)}
          value={settings.rate_limits ?? 'off'}
          onChange={(value) => set('rate_limits', value ?? 'off')}
        />
        {settings.rate_limits === 'custom' && (
          <NumberInput
            label={t.fields.rate_limit_requests}
            description={t.help.rate_limit_requests}
            min={1}
            w={160}
            allowDecimal={false}
            value={settings.rate_limit_requests ?? ''}
            error={below('rate_limit_requests')}
            onChange={(value) => set('rate_limit_requests', String(value))}
          />
        )}
      </Group>
      <Select
        label={t.fields.deprecated_operations}
        description={t.help.deprecated_operations}
        classNames={{ wrapper: 'settings-short' }}
        data={options(t.deprecated)}
        value={settings.deprecated_operations ?? 'serve'}
        onChange={(value) => set('deprecated_operations', value ?? 'serve')}
      />
      {problem !== null && Object.keys(errors).length === 0 && <Failure>{sentenceOf(problem)}</Failure>}
      <Group className="settings-save">
        <Button type="submit" disabled={!changed}>
          {strings.settings.save}
        </Button>
      </Group>
    </form>
  )
}
