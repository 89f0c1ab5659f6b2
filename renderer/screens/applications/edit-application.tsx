import { type KeyboardEvent, useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications } from '../../parts/access/application-names.ts'
import { vault } from '../../parts/connection/vault.ts'
import { createEdit } from '../../parts/forms/edit.ts'
import { FormPanel } from '../../parts/forms/form-panel.tsx'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { describeChanges, type GrantsDraft, toGrantsDraft, toRules } from './rules/grants.ts'
import { RuleWorkbench } from './rules/rule-workbench.tsx'
import styles from './rules/rules.module.css'
import { strings as ruleStrings } from './rules/strings.ts'
import { strings } from './strings.ts'

const t = strings.edit
const placed = ['name']

type Props = FormActions & {
  readonly application: Application
}

type ApplicationEditDraft = { readonly name: string } & Omit<GrantsDraft, 'type'>

function toEditDraft(application: Application): ApplicationEditDraft {
  const { permissions, rules } = toGrantsDraft(application)
  return { name: application.name, permissions, rules }
}

function createApplicationEdit(application: Application) {
  const { id } = application
  return createEdit({
    before: toEditDraft(application),
    read: () => vault.applications.get({ id }),
    toDraft: toEditDraft,
    write: ({ name, permissions, rules }) =>
      vault.applications.update({
        id,
        name,
        rules: toRules(rules),
        ...(permissions.length > 0 && { permissions: [...permissions] }),
      }),
    labels: {
      name: strings.wizard.name,
      permissions: strings.drawer.permissions,
      rules: strings.drawer.rules,
    },
  })
}

/** Edits an application, with what its rules allow and what the log says about them. */
export function EditApplication({ application, onClose, onSaved }: Props) {
  const [edit] = useState(() => createApplicationEdit(application))
  const [before] = useState(() => toGrantsDraft(application))
  const form = useForm({
    initial: () => ({ name: application.name, draft: before }),
    getUnsavedInput: (values) => values,
    send: ({ name, draft: { permissions, rules } }) => edit.save({ name, permissions, rules }),
    async onDone() {
      await loadApplications()
      await onSaved(application.id)
      showToast(t.saved, { undo: () => edit.undo().then(loadApplications) })
    },
  })
  const { name, draft } = form.values
  const history = useDraftHistory(draft, (draft) => form.change({ draft }))
  const renamed = name === application.name ? [] : [t.renamed(name)]

  return (
    <FormPanel
      form={form}
      title={t.title}
      action={t.save}
      isEdit
      size="full"
      placedFields={placed}
      input={JSON.stringify({ name, permissions: draft.permissions, rules: toRules(draft.rules) }, null, 2)}
      buttons={<Changes changes={[...renamed, ...describeChanges(before, draft)]} onUndo={history.undo} />}
      onKeyDown={history.handleKeyDown}
      onClose={onClose}
    >
      <NameInput label={strings.wizard.name} maw={460} {...form.text('name')} />
      <RuleWorkbench
        draft={draft}
        before={before}
        application_id={application.id}
        onChange={history.changeDraft}
      />
    </FormPanel>
  )
}

const c = ruleStrings.changes

type ChangesProps = {
  readonly changes: readonly string[]
  /** Null if there is nothing to undo. */
  readonly onUndo: (() => void) | null
}

/** Says what saving would change, beside the button that saves, and undoes the last change. */
function Changes({ changes, onUndo }: ChangesProps) {
  return (
    <>
      <ActionButton icon="undo" label={c.undo} disabled={onUndo === null} onClick={() => onUndo?.()} />
      {changes.length > 0 && (
        <ul className={styles.changes} aria-label={c.title}>
          <li className="faint">{c.count(changes.length)}</li>
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rules can change in the same way
            <li key={index}>
              <MarkedText text={change} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

type DraftStep = { readonly draft: GrantsDraft; readonly typed: string | undefined }

/** The earlier states of a draft, so that its changes can be undone one by one before they are saved. */
function useDraftHistory(draft: GrantsDraft, onChange: (draft: GrantsDraft) => void) {
  const [steps, setSteps] = useState<readonly DraftStep[]>([])
  const last = steps.at(-1)
  function undoChange(): void {
    if (!last) return
    setSteps(steps.slice(0, -1))
    onChange(last.draft)
  }
  return {
    /** Null if there is nothing to undo. */
    undo: last ? undoChange : null,
    /** Changes to the same text, one after the other, are one step. */
    changeDraft(to: GrantsDraft, typed?: string) {
      if (typed === undefined || typed !== last?.typed) setSteps([...steps, { draft, typed }])
      onChange(to)
    },
    handleKeyDown(event: KeyboardEvent) {
      const isField = event.target instanceof HTMLElement && event.target.matches('input, textarea')
      if (isField || event.shiftKey || !(event.ctrlKey || event.metaKey) || event.key !== 'z') return
      event.preventDefault()
      undoChange()
    },
  }
}
