import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications } from '../../parts/access/application-names.ts'
import { vault } from '../../parts/connection/vault.ts'
import { fieldErrorsOf, sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { useTyped } from '../../parts/navigation/unsaved.ts'
import { FormFailure } from '../../ui/failure.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useOnce } from '../../ui/use-once.ts'
import { draftOfGrants, rulesOfDraft } from './grants.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { GrantsPreview } from './grants-preview.tsx'
import { strings } from './strings.ts'

const t = strings.edit

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

/** An application being changed, with what it would see beside. */
export function EditApplication({ application, onClose, onSaved }: Props) {
  const [name, setName] = useState(application.name)
  const [draft, setDraft] = useState(() => draftOfGrants(application))
  const typed = JSON.stringify({ name, draft })
  const [before] = useState(typed)
  const stored = useTyped({ name, draft })
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<unknown>(null)

  const save = useOnce(async () => {
    setProblem(null)
    try {
      await vault.applications.update(
        updateOf({
          id: application.id,
          name,
          permissions: [...draft.permissions],
          rules: rulesOfDraft(draft.rules),
        }),
      )
      stored()
      await onSaved()
      toast(t.saved, {
        undo: () => vault.applications.update(updateOf(application)).then(loadApplications),
      })
    } catch (error) {
      setProblem(error)
    }
  })

  return (
    <Panel
      label={t.title}
      title={t.title}
      wide
      onClose={onClose}
      footer={
        <Button type="submit" form="edit-application" disabled={typed === before}>
          {t.save}
        </Button>
      }
    >
      <form
        id="edit-application"
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <TextInput
          label={strings.wizard.name}
          value={name}
          onChange={(event) => setName(cut(event.currentTarget.value, 200)[0])}
          error={fieldErrorsOf(problem).name}
        />
        <GrantsEditor draft={draft} onChange={setDraft} errors={errors} />
        <GrantsPreview draft={draft} onErrors={setErrors} />
        {problem !== null && <FormFailure>{sentenceOf(problem)}</FormFailure>}
      </form>
    </Panel>
  )
}
