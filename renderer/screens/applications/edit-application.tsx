import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications } from '../../parts/access/application-names.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { draftOfGrants, rulesOfDraft } from './grants.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { GrantsPreview } from './grants-preview.tsx'
import { strings } from './strings.ts'

const t = strings.edit
/** The members whose messages are shown beside their fields. */
const placed = ['name']

type Props = {
  readonly application: Application
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

function updateOf({
  id,
  name,
  permissions,
  rules,
}: Pick<Application, 'id' | 'name' | 'permissions' | 'rules'>) {
  return { id, name, rules, ...(permissions.length > 0 && { permissions }) }
}

/** Edits an application, with a preview of what it would see. */
export function EditApplication({ application, onClose, onSaved }: Props) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const form = useForm({
    initial: () => ({ name: application.name, draft: draftOfGrants(application) }),
    typed: (values) => values,
    send: ({ name, draft }) =>
      vault.applications.update(
        updateOf({
          id: application.id,
          name,
          permissions: [...draft.permissions],
          rules: rulesOfDraft(draft.rules),
        }),
      ),
    async done() {
      await onSaved()
      toast(t.saved, {
        undo: () => vault.applications.update(updateOf(application)).then(loadApplications),
      })
    },
  })
  const { name, draft } = form.values

  return (
    <Panel
      label={t.title}
      title={t.title}
      wide
      onClose={onClose}
      footer={
        <Button type="submit" form="edit-application" disabled={!form.isTyped}>
          {t.save}
        </Button>
      }
    >
      <form id="edit-application" className="form" onSubmit={form.submit}>
        <TextInput
          label={strings.wizard.name}
          value={name}
          onChange={(event) => form.change({ name: cut(event.currentTarget.value, 200)[0] })}
          error={form.errors.name}
        />
        <GrantsEditor draft={draft} onChange={(draft) => form.change({ draft })} errors={errors} />
        <GrantsPreview draft={draft} onErrors={setErrors} />
        <FormProblem of={form.problem} besides={placed} />
      </form>
    </Panel>
  )
}
