import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../shared/schemas/application.ts'
import { loadApplications } from '../application-names.ts'
import { fieldErrorsOf, sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { toast } from '../toast.tsx'
import { FormFailure } from '../ui/failure.tsx'
import { Panel } from '../ui/panel.tsx'
import { useOnce } from '../ui/use-once.ts'
import { useTyped } from '../unsaved.ts'
import { vault } from '../vault.ts'
import { draftOfGrants, rulesOfDraft } from './grants.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { GrantsPreview } from './grants-preview.tsx'

const t = strings.applications.edit

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
  const stored = useTyped({ name, draft })
  const [before] = useState(() => JSON.stringify({ name, draft }))
  const isChanged = JSON.stringify({ name, draft }) !== before
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
        <Button type="submit" form="edit-application" disabled={!isChanged}>
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
          label={strings.applications.wizard.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldErrorsOf(problem).name}
          maxLength={200}
        />
        <GrantsEditor draft={draft} onChange={setDraft} errors={errors} />
        <GrantsPreview draft={draft} onErrors={setErrors} />
        {problem !== null && <FormFailure>{sentenceOf(problem)}</FormFailure>}
      </form>
    </Panel>
  )
}
