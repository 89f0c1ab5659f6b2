import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { vault } from '../../parts/connection/vault.ts'
import { editOf } from '../../parts/forms/edit.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { loadProxies } from '../../parts/proxies/proxies-store.ts'
import { PairsInput } from '../../ui/fields/pairs-input.tsx'
import { Panel } from '../../ui/panel.tsx'
import { markedText } from '../../ui/text/marked-text.tsx'
import { draftOf, inputOf, problemsOf } from './proxy-draft.ts'
import { strings } from './strings.ts'
import { TransformsEditor } from './transform-editor.tsx'

const t = strings.form
/** The members whose messages are shown beside their fields. */
const placed = ['name', 'destination_url', 'application.id', 'configuration']
const CALLER = ''

type Props = {
  /** The proxy to change; null for a new one. */
  readonly proxy: ProxyObject | null
  readonly onClose: () => void
  readonly onSaved: (id: string) => Promise<void>
}

function beginEdit(proxy: ProxyObject) {
  const { id } = proxy
  return editOf({
    before: draftOf(proxy),
    read: () => vault.proxies.get({ id }),
    draftOf,
    write: (draft) => vault.proxies.update({ id, ...inputOf(draft) }),
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

/** Creates a proxy, or changes one. */
export function ProxyForm({ proxy, onClose, onSaved }: Props) {
  const { applications } = useApplications()
  const [edit] = useState(() => proxy && beginEdit(proxy))
  const form = useForm({
    initial: () => draftOf(proxy),
    typed: (draft) => draft,
    check: problemsOf,
    send: (draft) => edit?.save(draft) ?? vault.proxies.create(inputOf(draft)),
    async done({ id }) {
      await loadProxies()
      await onSaved(id)
      if (!edit) return toast(t.made)
      toast(t.saved, { undo: () => edit.undo().then(loadProxies) })
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
          disabled={proxy !== null && !form.isTyped}
        >
          {proxy ? t.save : t.make}
        </Button>
      }
    >
      <form id="proxy-form" className="form" noValidate onSubmit={form.submit}>
        <TextInput
          label={t.name}
          required
          value={draft.name}
          error={errors.name}
          onChange={(event) => change({ name: cut(event.currentTarget.value, 200)[0] })}
        />
        <div>
          <TextInput
            label={t.destination}
            description={t.destinationHelp}
            required
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.text('destination_url')}
          />
          <p className="field-help">
            {t.destinations}{' '}
            <button
              type="button"
              className="unstyled link"
              onClick={() => go(hrefOf('settings', 'destinations'))}
            >
              {t.openSettings}
            </button>
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
          allowDeselect={false}
          data={[
            { value: CALLER, label: t.caller },
            ...makers.map(({ id, name }) => ({ value: id, label: markedText(name) })),
          ]}
          value={draft.application ?? CALLER}
          error={errors['application.id']}
          onChange={(value) => change({ application: value || null })}
        />
        <PairsInput
          label={t.configuration}
          pairs={draft.configuration}
          words={t.entry}
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
        <FormProblem of={form.problem} besides={placed} />
      </form>
    </Panel>
  )
}
