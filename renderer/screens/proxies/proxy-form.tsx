import { Checkbox, Select } from '@mantine/core'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { loadProxies } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { FormPanel } from '../../parts/forms/form-panel.tsx'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useResourceForm } from '../../parts/forms/use-resource-form.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { PairsInput } from '../../ui/fields/pairs-input.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { toProxyDraft, toProxyInput, validateProxyDraft } from './proxy-draft.ts'
import { strings } from './strings.ts'
import { TransformsEditor } from './transform-editor.tsx'

const t = strings.form
const placed = ['name', 'destination_url', 'application.id', 'configuration']
const CALLER = ''

type Props = FormActions & {
  /** The proxy to change; null for a new one. */
  readonly proxy: ProxyObject | null
}

export function ProxyForm({ proxy, onClose, onSaved }: Props) {
  const { rows: applications } = useApplications()
  const form = useResourceForm({
    stored: proxy,
    client: vault.proxies,
    toDraft: toProxyDraft,
    toInput: toProxyInput,
    check: validateProxyDraft,
    strings: t,
    load: loadProxies,
    onSaved,
  })
  const { values: draft, errors, change } = form
  const makers = applications.filter(({ type }) => type !== 'management')
  return (
    <FormPanel
      form={form}
      title={proxy ? t.edit : t.create}
      action={proxy ? t.save : t.make}
      isEdit={proxy !== null}
      placedFields={placed}
      onClose={onClose}
    >
      <NameInput label={t.name} required {...form.text('name')} />
      <div>
        <MonoInput
          label={t.destination_url}
          description={t.destinationHelp}
          required
          {...form.text('destination_url')}
        />
        <p className="help">
          {t.destinations} <LinkButton to={toHref('settings', 'destinations')} label={t.openSettings} />
        </p>
      </div>
      {(['require_auth', 'disable_detokenization'] as const).map((name) => (
        <Checkbox
          key={name}
          label={t[name]}
          description={t.help[name]}
          checked={draft[name]}
          onChange={(event) => change({ [name]: event.currentTarget.checked })}
        />
      ))}
      <Select
        label={t.application}
        description={t.applicationHelp}
        searchable
        data={[
          { value: CALLER, label: t.caller },
          ...makers.map(({ id, name }) => ({ value: id, label: markText(name) })),
        ]}
        value={draft.application ?? CALLER}
        error={errors['application.id']}
        onChange={(value) => change({ application: value || null })}
      />
      <PairsInput
        label={t.configuration}
        pairs={draft.configuration}
        labels={t.entry}
        help={t.configurationHelp}
        reveal={strings.drawer.reveal}
        error={errors.configuration}
        onChange={(configuration) => change({ configuration })}
      />
      {(['request', 'response'] as const).map((side) => (
        <TransformsEditor
          key={side}
          side={side}
          transforms={draft[side]}
          errors={errors}
          onChange={(transforms) => change({ [side]: transforms })}
        />
      ))}
    </FormPanel>
  )
}
