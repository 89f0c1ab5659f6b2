import { Button } from '@mantine/core'
import { use } from 'react'
import { isObject, type JsonObject, readJson } from '../../../../shared/json.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
import { getReadClient } from '../../../parts/access/view-as.ts'
import { createOpenCheck } from '../../../parts/connection/store.ts'
import { FormGone, GoneNotice, useEdited } from '../../../parts/forms/gone.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { describeError, hasCode } from '../../../parts/messages/describe-error.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { Choice } from '../../../ui/fields/choice.tsx'
import { MonoArea } from '../../../ui/fields/mono-fields.tsx'
import formStyles from '../../../ui/form.module.css'
import { saveKey } from '../../../ui/keys/save-key.ts'
import { Panel } from '../../../ui/panel.tsx'
import { readToken, useDrawer } from '../drawer/drawer-store.ts'
import { showToken } from '../list/tokens-store.ts'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { DataFields } from './data-fields.tsx'
import { Difference } from './difference.tsx'
import {
  applyPatchToDraft,
  createUndoPatch,
  type EditDraft,
  toEditDraft,
  toMergePatch,
} from './edit-draft.ts'
import { ExpressionFields, PlaceFields } from './token-fields.tsx'

const t = strings.edit

type Props = {
  readonly id: string
  readonly onClose: () => void
  readonly onSaved: (token: CreatedToken) => Promise<void>
}

/** Edits a token as a form or as a merge patch, and shows the difference. */
export function EditToken({ id, onClose, onSaved }: Props) {
  const token = useDrawer((drawer) => (drawer.id === id ? drawer.token : null))
  const problem = useDrawer((drawer) => drawer.problem)
  const edited = useEdited(token, id)
  if (edited) {
    return (
      <FormGone value={!token}>
        <Editor token={edited} onClose={onClose} onSaved={onSaved} />
      </FormGone>
    )
  }
  return (
    <Panel label={t.title} title={t.title} wide onClose={onClose}>
      {problem !== null && (
        <div className={formStyles.root}>
          <Failure>{hasCode(problem, 'not_found') ? strings.drawer.gone : describeError(problem)}</Failure>
        </div>
      )}
    </Panel>
  )
}

type EditTokenValues = {
  readonly draft: EditDraft
  readonly text: string | null
  /** The patch members that the form cannot represent. Set when the user tries to switch to the form. */
  readonly lost: readonly string[]
}

function Editor({ token, onClose, onSaved }: { token: Token } & Omit<Props, 'id'>) {
  const isGone = use(FormGone)
  const formatPatch = ({ draft, text }: EditTokenValues) =>
    text ?? JSON.stringify(toMergePatch(token, draft), null, 2)
  const form = useForm({
    initial: (): EditTokenValues => ({ draft: toEditDraft(token), text: null, lost: [] }),
    getUnsavedInput: formatPatch,
    check: (values): Readonly<Record<string, string>> =>
      parsePatch(formatPatch(values)) ? {} : { text: t.notObject },
    async send(values) {
      const isOpen = createOpenCheck()
      const patch = parsePatch(formatPatch(values)) ?? {}
      return { patch, saved: await getReadClient().tokens.update({ ...patch, id: token.id }), isOpen }
    },
    async onDone({ patch, saved, isOpen }) {
      if (!isOpen()) return
      await onSaved(saved)
      const before = createUndoPatch(token, patch)
      showToast(t.saved, before ? { undo: () => undoEdit({ ...before, id: token.id }) } : {})
    },
  })
  const { values, change, problem } = form
  const { draft, text, lost } = values
  const patchText = formatPatch(values)
  const patch = parsePatch(patchText)
  const showForm = () => {
    // If the patch text is unedited, return to the form with its input, including input that a patch cannot
    // represent, such as a metadata value without a key.
    if (patchText === formatPatch({ ...values, text: null })) return change({ text: null })
    if (!patch) return
    const { draft, lost } = applyPatchToDraft(token, patch)
    change(lost.length === 0 ? { draft, text: null } : { lost })
  }

  return (
    <Panel
      label={t.title}
      title={
        <>
          {t.title} <span className="mono clip">{token.id}</span>
        </>
      }
      wide
      onClose={onClose}
      footer={
        <div className={styles.editFoot}>
          {patch && <Difference token={token} patch={patch} />}
          {problem !== null && <Failure>{describeError(problem)}</Failure>}
          <GoneNotice input={patchText} />
          <Button
            type="submit"
            form="edit-token"
            {...saveKey}
            disabled={isGone || !patch || Object.keys(patch).length === 0}
          >
            {t.save}
          </Button>
        </div>
      }
    >
      <form id="edit-token" className={formStyles.root} onSubmit={form.submit}>
        <Choice
          label={t.title}
          of={{ form: t.form, patch: t.patch }}
          value={text === null ? 'form' : 'patch'}
          onChange={(mode) => (mode === 'form' ? showForm() : change({ text: patchText, lost: [] }))}
        />
        {text === null ? (
          <Form token={token} draft={draft} change={(part) => change({ draft: { ...draft, ...part } })} />
        ) : (
          <MonoArea
            label={t.patchLabel}
            description={t.patchHelp}
            minRows={10}
            maxRows={24}
            value={text}
            error={patch ? lost.length > 0 && t.notInForm(lost) : t.notObject}
            onChange={(event) => change({ text: event.currentTarget.value, lost: [] })}
          />
        )}
        <DeniedReason problem={problem} on={{ token_id: token.id }} />
      </form>
    </Panel>
  )
}

async function undoEdit(before: JsonObject & { id: string }): Promise<void> {
  await showToken(await getReadClient().tokens.update(before), false)
  await readToken(before.id)
}

function parsePatch(text: string): JsonObject | null {
  try {
    const value = readJson(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

type EditTokenFormProps = {
  readonly token: Token
  readonly draft: EditDraft
  readonly change: (part: Partial<EditDraft>) => void
}

function Form({ token, draft, change }: EditTokenFormProps) {
  return (
    <>
      {isTokenType(token.type) && (
        <fieldset className={styles.editData}>
          <legend>{t.data}</legend>
          <p className="faint">{t.dataHelp}</p>
          <DataFields type={token.type} data={draft.data} errors={{}} onChange={(data) => change({ data })} />
        </fieldset>
      )}
      <PlaceFields draft={draft} change={change} />
      <ExpressionFields draft={draft} change={change} />
    </>
  )
}
