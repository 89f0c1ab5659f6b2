import { Button, Checkbox, Group, NumberInput, Select, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { cut } from '../../shared/characters.ts'
import type { SettingName } from '../../shared/settings.ts'
import { sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { toast } from '../toast.tsx'
import { Failure } from '../ui/failure.tsx'
import { vault } from '../vault.ts'
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

function options(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, label]) => ({ value, label }))
}

/** The tenant: name, quotas, limits, what tokens do by themselves. */
export function TenantSection() {
  const [saved, setSaved] = useState<Tenant | null>(null)
  const [draft, setDraft] = useState<Tenant | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    vault.tenants.get().then(
      (tenant) => {
        setSaved(tenant)
        setDraft(tenant)
      },
      (error) => setProblem(sentenceOf(error)),
    )
  }, [])
  if (!saved || !draft) {
    return (
      <Section title={strings.settings.sections.tenant}>
        {problem !== null && <Failure>{problem}</Failure>}
      </Section>
    )
  }
  const { settings } = draft
  const set = (name: SettingName, value: string) =>
    setDraft({ ...draft, settings: { ...settings, [name]: value } })
  const changed = JSON.stringify(draft) !== JSON.stringify(saved)

  async function put(tenant: Tenant) {
    const now = await vault.tenants.update({ name: tenant.name, settings: tenant.settings })
    setSaved(now)
    setDraft(now)
  }
  async function save(before: Tenant, wanted: Tenant) {
    setProblem(null)
    try {
      await put(wanted)
      toast(strings.settings.saved, { undo: () => put(before) })
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }

  return (
    <Section title={strings.settings.sections.tenant} text={t.text}>
      <TextInput
        label={t.name}
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: cut(event.currentTarget.value, 200)[0] })}
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
            value={Number(settings[name])}
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
            value={Number(settings.rate_limit_requests)}
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
      {problem !== null && <Failure>{problem}</Failure>}
      <Group className="settings-save">
        <Button onClick={() => save(saved, draft)} disabled={!changed}>
          {strings.settings.save}
        </Button>
      </Group>
    </Section>
  )
}
