import { Checkbox, Group, NumberInput, Select } from '@mantine/core'
import { useMemo } from 'react'
import type { SettingName } from '../../../shared/settings.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { createEdit } from '../../parts/forms/edit.ts'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import formStyles from '../../ui/form.module.css'
import { SaveBar, Section } from './fields.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.tenant
const quotas = [
  'cvc_retention_seconds',
  'token_intent_retention_seconds',
  'log_retention_days',
  'log_retention_records',
  'tokens_per_tokenize',
  'expressions_per_detokenize',
] as const satisfies readonly SettingName[]
const flags = ['fingerprint_tokens', 'deduplicate_tokens'] as const satisfies readonly SettingName[]

type TenantFieldName = keyof typeof t.help
type Tenant = { readonly name: string; readonly settings: Readonly<Record<string, string>> }

/** Compares two maps of settings, ignoring their order. */
function isEqual(a: Tenant['settings'], b: Tenant['settings']): boolean {
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name])
}

/** The tenant: name, token defaults, quotas and limits. */
export function TenantSection() {
  const tenant = useLoaded<Tenant>(readTenant, { follows: ['tenant'] })
  return (
    <Section name="tenant" text={t.text}>
      <LoadedView of={tenant} lines={9}>
        {(saved) => <TenantForm saved={saved} onSaved={tenant.set} />}
      </LoadedView>
    </Section>
  )
}

function readTenant(): Promise<Tenant> {
  return vault.tenants.get()
}

/** The edited members; absent ones are unchanged. */
type Changes = Partial<Tenant>

function applyChanges(changes: Changes, saved: Tenant): Tenant {
  return { name: changes.name ?? saved.name, settings: { ...saved.settings, ...changes.settings } }
}

function isChanged(changes: Changes, saved: Tenant): boolean {
  const { name, settings } = applyChanges(changes, saved)
  return name !== saved.name || !isEqual(settings, saved.settings)
}

/**
 * Returns functions that save a tenant and undo the last save. Saving merges the edited settings into the
 * stored ones. The draft contains the name as a further setting.
 */
function editTenant(before: Tenant) {
  const toTenantDraft = ({ name, settings }: Tenant): Tenant['settings'] => ({ ...settings, name })
  const { save, undo } = createEdit({
    before: toTenantDraft(before),
    read: readTenant,
    toDraft: toTenantDraft,
    write: ({ name = '', ...settings }): Promise<Tenant> => vault.tenants.update({ name, settings }),
    labels: { name: t.name, ...t.fields },
  })
  return { save: (tenant: Tenant) => save(toTenantDraft(tenant)), undo }
}

type TenantFormProps = { readonly saved: Tenant; readonly onSaved: (tenant: Tenant) => void }

function TenantForm({ saved, onSaved }: TenantFormProps) {
  const edit = useMemo(() => editTenant(saved), [saved])
  const form = useForm({
    initial: (): Changes => ({}),
    getUnsavedInput: (changes) => (isChanged(changes, saved) ? applyChanges(changes, saved) : null),
    send: (changes) => edit.save(applyChanges(changes, saved)),
    onDone(tenant) {
      onSaved(tenant)
      form.reset({})
      showToast(strings.tenant.saved, { undo: () => edit.undo().then(onSaved) })
    },
  })
  const { name, settings } = applyChanges(form.values, saved)
  const changeSetting = (setting: SettingName, value: string) =>
    form.change({ settings: { ...form.values.settings, [setting]: value } })
  const getError = (member: string) => form.errors[`settings.${member}`] ?? form.errors[member]

  const getLabels = (name: TenantFieldName) => ({ label: t.fields[name], description: t.help[name] })
  const renderCheck = (name: TenantFieldName) => (
    <Checkbox
      key={name}
      {...getLabels(name)}
      checked={settings[name] === 'true'}
      onChange={(event) => changeSetting(name, String(event.currentTarget.checked))}
    />
  )
  const renderSelect = (name: TenantFieldName, words: Readonly<Record<string, string>>, usual: string) => (
    <Select
      {...getLabels(name)}
      data={Object.entries(words).map(([value, label]) => ({ value, label }))}
      value={settings[name] ?? usual}
      onChange={(value) => changeSetting(name, value ?? usual)}
      styles={{ wrapper: { maxWidth: 240 } }}
      error={getError(name)}
    />
  )
  const renderNumber = (name: TenantFieldName) => (
    <NumberInput
      key={name}
      {...getLabels(name)}
      min={1}
      allowDecimal={false}
      value={settings[name] ?? ''}
      error={getError(name)}
      onChange={(value) => changeSetting(name, String(value))}
    />
  )

  return (
    <form className={`${formStyles.root} ${formStyles.inner}`} noValidate onSubmit={form.submit}>
      <NameInput
        label={t.name}
        value={name}
        error={getError('name')}
        onChange={(event) => form.change({ name: event.currentTarget.value })}
        maw={320}
      />
      <h3>{t.tokens}</h3>
      {flags.map(renderCheck)}
      {renderSelect('token_deduplication_behavior', t.found, 'read_existing')}
      <h3>{t.quotas}</h3>
      <div className={styles.numbers}>{quotas.map(renderNumber)}</div>
      <h3>{t.limits}</h3>
      <Group align="end">
        {renderSelect('rate_limits', t.rates, 'off')}
        {settings.rate_limits === 'custom' && renderNumber('rate_limit_requests')}
      </Group>
      {renderSelect('deprecated_operations', t.deprecated, 'serve')}
      <h3>{t.proxies}</h3>
      {renderCheck('disable_ephemeral_proxy')}
      {renderSelect('keep_exchanges', t.keeping, 'in_memory')}
      {renderCheck('expose_raw_proxy_response')}
      {Object.keys(form.errors).length === 0 && <Problem of={form.problem} />}
      <SaveBar isDirty={form.isDirty} />
    </form>
  )
}
