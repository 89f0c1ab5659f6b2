import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { loadProxies } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { createEdit } from '../../parts/forms/edit.ts'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import { PairsInput } from '../../ui/fields/pairs-input.tsx'
import formStyles from '../../ui/form.module.css'
import { Panel } from '../../ui/panel.tsx'
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

function createProxyEdit(proxy: ProxyObject) {
  const { id } = proxy
  return createEdit({
    before: toProxyDraft(proxy),
    read: () => vault.proxies.get({ id }),
    toDraft: toProxyDraft,
    write: (draft) => vault.proxies.update({ id, ...toProxyInput(draft) }),
    labels: {
      name: t.name,
      destination_url: t.destination,
      require_auth: t.auth,
      disable_detokenization: t.plain,
      application: t.application,
      configuration: t.configuration,
      request: t.request,
      response: t.response,
    },
  })
}

export function ProxyForm({ proxy, onClose, onSaved }: Props) {
  const { rows: applications } = useApplications()
  const [edit] = useState(() => proxy && createProxyEdit(proxy))
  const form = useForm({
    initial: () => toProxyDraft(proxy),
    getUnsavedInput: (draft) => draft,
    check: validateProxyDraft,
    send: (draft) => edit?.save(draft) ?? vault.proxies.create(toProxyInput(draft)),
    async onDone({ id }) {
      await loadProxies()
      await onSaved(id)
      if (!edit) return showToast(t.created)
      showToast(t.saved, { undo: () => edit.undo().then(loadProxies) })
    },
  })
  const { values: draft, errors, change } = form
  const title = proxy ? t.edit : t.create
  const makers = applications.filter(({ type }) => type !== 'management')
  return (
    <Panel
      label={title}
      title={title}
      wide
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form="proxy-form"
          loading={form.state === 'running'}
          disabled={proxy !== null && !form.isDirty}
        >
          {proxy ? t.save : t.make}
        </Button>
      }
    >
      <form id="proxy-form" className={formStyles.root} noValidate onSubmit={form.submit}>
        <NameInput label={t.name} required {...form.text('name')} />
        <div>
          <TextInput
            label={t.destination}
            description={t.destinationHelp}
            required
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.text('destination_url')}
          />
          <p className={formStyles.help}>
            {t.destinations} <LinkButton to={toHref('settings', 'destinations')} label={t.openSettings} />
          </p>
        </div>
        <Checkbox
          label={t.auth}
          description={t.authHelp}
          checked={draft.require_auth}
          onChange={(event) => change({ require_auth: event.currentTarget.checked })}
        />
        <Checkbox
          label={t.plain}
          description={t.plainHelp}
          checked={draft.disable_detokenization}
          onChange={(event) => change({ disable_detokenization: event.currentTarget.checked })}
        />
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
        <FormProblem of={form.problem} placedFields={placed} />
      </form>
    </Panel>
  )
}
