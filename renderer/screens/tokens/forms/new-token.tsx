import { Checkbox, Select } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { isObject } from '../../../../shared/json.ts'
import type { CreatedToken } from '../../../../shared/schemas/token.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
import { getReadClient } from '../../../parts/access/view-as.ts'
import { createOpenCheck } from '../../../parts/connection/store.ts'
import { FormPanel } from '../../../parts/forms/form-panel.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { emptyDraft, type TokenDraft, toData, toTokenRequest } from '../../../parts/tokens/token-draft.ts'
import { getTypeName, tokenTypes, typeNames } from '../../../parts/tokens/token-types.ts'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import formStyles from '../../../ui/form.module.css'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings } from '../strings.ts'
import { DataFields } from './data-fields.tsx'
import { ResultPreview } from './result-preview.tsx'
import { ExpressionFields, formatErrorsBelow, PlaceFields } from './token-fields.tsx'
import { usePreview } from './use-preview.ts'

const t = strings.form

type Props = { readonly onClose: () => void; readonly onCreated: (token: CreatedToken) => Promise<void> }

export function NewToken({ onClose, onCreated }: Props) {
  const form = useForm({
    initial: emptyNew,
    getUnsavedInput: getUnsavedInput,
    check: findMissingData,
    async send(values) {
      const isOpen = createOpenCheck()
      return { token: await getReadClient().tokens.create(toTokenRequest(values)), isOpen }
    },
    async onDone({ token, isOpen }) {
      if (!isOpen()) return
      await onCreated(token)
      showToast(token._extras?.deduplicated ? t.duplicate : t.created(token.id))
    },
  })
  const { values: draft, change, resetSubmitted, problem } = form
  const box = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem !== null) focusFirstError(box.current)
  }, [problem])
  const preview = usePreview(draft)
  const touched = toData(draft.type, draft.data) !== undefined
  const containers = draft.containers.length > 0 ? draft.containers : [preview.container ?? []].flat()
  const errors = { ...(touched ? preview.errors : {}), ...form.errors }

  return (
    <FormPanel
      form={form}
      title={t.newTitle}
      action={t.create}
      placedFields={listPlacedFields(draft.type)}
      buttons={
        <ActionButton
          variant="subtle"
          color="gray"
          label={t.sample}
          onClick={() => change({ data: toSampleData(draft.type) })}
        />
      }
      ref={box}
      onSubmit={(event) => {
        if (!touched) event.currentTarget.querySelector<HTMLElement>('[data-first]')?.focus()
        void form.submit(event)
      }}
      onClose={onClose}
    >
      <Select
        label={t.type}
        data={typeNames.map((value) => ({ value, label: getTypeName(value) }))}
        value={draft.type}
        onChange={(value) => {
          if (!value) return
          change(withType(draft, value))
          resetSubmitted()
        }}
        maxDropdownHeight={320}
        data-autofocus
      />
      <DataFields type={draft.type} data={draft.data} errors={errors} onChange={(data) => change({ data })} />
      <ResultPreview preview={preview} draft={draft} />
      <PlaceFields
        draft={draft}
        change={change}
        errors={errors}
        defaultContainer={String(preview.container ?? '')}
      />
      <Advanced draft={draft} change={change} errors={errors} />
      <DeniedReason problem={problem} on={containers.length > 0 ? { containers } : null} />
    </FormPanel>
  )
}

/** Focuses the first field that has an error, and expands its section if it is collapsed. */
function focusFirstError(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  const fold = field?.closest('details')
  if (fold) fold.open = true
  field?.focus()
}

/** The error for missing data, shown at the first field of the type. */
function findMissingData({ type, data }: TokenDraft): Readonly<Record<string, string>> {
  if (toData(type, data) !== undefined) return {}
  if (type === 'card' || type === 'network_token') return { 'data.number': t.needs(t.needed.card) }
  if (type === 'bank') return { 'data.routing_number': t.needs(t.needed.bank) }
  return { data: t.needs(t.needed.other) }
}

function listPlacedFields(type: TokenDraft['type']): readonly string[] {
  const data =
    type === 'card' || type === 'network_token'
      ? ['data.number', 'data.expiration_month', 'data.expiration_year', 'data.cvc']
      : type === 'bank'
        ? ['data.routing_number', 'data.account_number']
        : ['data']
  const others = ['containers', 'metadata', 'id', 'mask', 'fingerprint_expression', 'search_indexes']
  return [...data, ...others, 'expires_at']
}

function toSampleData(type: TokenDraft['type']): Record<string, string> {
  const { sample } = tokenTypes[type]
  if (!isObject(sample)) return { value: String(sample) }
  return Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, String(value)]))
}

type AdvancedProps = {
  readonly draft: TokenDraft
  readonly change: (part: Partial<TokenDraft>) => void
  readonly errors: Readonly<Record<string, string>>
}

function Advanced({ draft, change, errors }: AdvancedProps) {
  return (
    <details className="more">
      <summary>{t.advanced}</summary>
      <div className={formStyles.root}>
        <MonoInput
          label={t.id}
          placeholder={t.idHelp}
          value={draft.id}
          error={formatErrorsBelow(errors, 'id')}
          onChange={(event) => change({ id: event.currentTarget.value })}
        />
        <ExpressionFields draft={draft} change={change} errors={errors} maskHelp={t.maskHelp} />
        <Checkbox
          label={t.deduplicate}
          checked={draft.deduplicate_token}
          onChange={(event) => change({ deduplicate_token: event.currentTarget.checked })}
        />
      </div>
    </details>
  )
}

/** The draft of a new token, with the data that was typed for other types. */
type NewDraft = TokenDraft & {
  readonly dataByType: Readonly<Partial<Record<TokenType, TokenDraft['data']>>>
}

const emptyNew: NewDraft = { ...emptyDraft, dataByType: {} }

/** Changes the type, and restores the data that was last typed for it. */
function withType({ type: before, data, dataByType }: NewDraft, type: TokenType) {
  const all: NewDraft['dataByType'] = { ...dataByType, [before]: data }
  return { type, data: all[type] ?? {}, dataByType: all }
}

/** The input that closing the form would lose. A changed type alone does not count. */
function getUnsavedInput({ type, data, dataByType, ...rest }: NewDraft): unknown {
  const filled = Object.values({ ...dataByType, [type]: data }).filter((each) =>
    Object.values(each).some(Boolean),
  )
  return [rest, filled]
}
