import { Button, SegmentedControl, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isObject, type JsonObject, readJson } from '../../../shared/json.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { useCounts } from '../../parts/counts-store.ts'
import { reader } from '../../parts/looking.ts'
import { hasCode, sentenceOf } from '../../parts/sentence.ts'
import { strings } from '../../parts/strings.ts'
import { toast } from '../../parts/toast.tsx'
import { isTokenType } from '../../parts/token-types.ts'
import { useTyped } from '../../parts/unsaved.ts'
import { WhyNot } from '../../parts/why-not.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PairsInput } from '../../ui/pairs-input.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useOnce } from '../../ui/use-once.ts'
import { DataFields } from './data-fields.tsx'
import { Difference } from './difference.tsx'
import { readToken, useDrawer } from './drawer-store.ts'
import { draftOf, type EditDraft, patchOf } from './edit-draft.ts'
import { applyPatch } from './merge-patch.ts'
import { landed } from './tokens-store.ts'

const t = strings.tokens.edit

type Props = {
  readonly id: string
  readonly onClose: () => void
  readonly onSaved: (token: Token) => Promise<void>
}

/** A token being changed, as a form or as the merge patch itself, with the difference it makes. */
export function EditToken({ id, onClose, onSaved }: Props) {
  const token = useDrawer((drawer) => (drawer.id === id ? drawer.token : null))
  const problem = useDrawer((drawer) => drawer.problem)
  if (token) return <Editor token={token} onClose={onClose} onSaved={onSaved} />
  return (
    <Panel label={t.title} title={t.title} wide onClose={onClose}>
      {problem !== null && (
        <div className="form">
          <Failure>
            {hasCode(problem, 'not_found') ? strings.tokens.drawer.gone : sentenceOf(problem)}
          </Failure>
        </div>
      )}
    </Panel>
  )
}

function Editor({ token, onClose, onSaved }: { token: Token } & Omit<Props, 'id'>) {
  const [draft, setDraft] = useState<EditDraft>(() => draftOf(token))
  const [text, setText] = useState<string | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const asText = text ?? JSON.stringify(patchOf(token, draft), null, 2)
  const patch = parsed(asText)
  const stored = useTyped(asText)

  function changeDraft(part: Partial<EditDraft>) {
    setDraft({ ...draft, ...part })
    setProblem(null)
  }
  function changeText(to: string | null) {
    setText(to)
    setProblem(null)
  }

  const save = useOnce(async () => {
    if (!patch) return
    setProblem(null)
    try {
      const saved = await reader().tokens.update({ ...patch, id: token.id })
      stored()
      await onSaved(saved)
      const before = undoOf(token, patch)
      toast(t.saved, before ? { undo: () => takeBack({ ...before, id: token.id }) } : {})
    } catch (error) {
      setProblem(error)
    }
  })

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
        <div className="edit-foot">
          {patch && <Difference token={token} patch={patch} />}
          {problem !== null && <Failure>{sentenceOf(problem)}</Failure>}
          <Button type="submit" form="edit-token" disabled={!patch || Object.keys(patch).length === 0}>
            {t.save}
          </Button>
        </div>
      }
    >
      <form
        id="edit-token"
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <SegmentedControl
          aria-label={t.title}
          data={[
            { value: 'form', label: t.form },
            { value: 'patch', label: t.patch },
          ]}
          value={text === null ? 'form' : 'patch'}
          onChange={(mode) => changeText(mode === 'form' ? null : asText)}
        />
        {text === null ? (
          <Form token={token} draft={draft} change={changeDraft} />
        ) : (
          <Textarea
            label={t.patchLabel}
            description={t.patchHelp}
            classNames={{ input: 'mono' }}
            autosize
            minRows={10}
            maxRows={24}
            spellCheck={false}
            value={text}
            error={patch ? null : t.notObject}
            onChange={(event) => changeText(event.currentTarget.value)}
          />
        )}
        <WhyNot problem={problem} on={{ token_id: token.id }} />
      </form>
    </Panel>
  )
}

async function takeBack(before: JsonObject & { id: string }): Promise<void> {
  await landed(await reader().tokens.update(before), false)
  await readToken(before.id)
}

function parsed(text: string): JsonObject | null {
  try {
    const value = readJson(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The patch that takes a change back; null where the data changed, which nobody here knows any more. */
function undoOf(before: Token, patch: JsonObject): JsonObject | null {
  if ('data' in patch) return null
  const known = before as unknown as JsonObject
  return Object.fromEntries(
    Object.entries(patch).map(([name, change]) => {
      const was = known[name] ?? null
      if (!isObject(change) || !isObject(was)) return [name, was]
      const cleared = Object.fromEntries(Object.keys(change).map((key) => [key, null]))
      return [name, { ...cleared, ...(applyPatch({}, was) as JsonObject) }]
    }),
  )
}

type FormProps = {
  readonly token: Token
  readonly draft: EditDraft
  readonly change: (part: Partial<EditDraft>) => void
}

function Form({ token, draft, change }: FormProps) {
  const words = strings.tokens.form
  const { counts } = useCounts()
  const mono = { classNames: { input: 'mono' }, spellCheck: false, autoComplete: 'off' }
  return (
    <>
      {isTokenType(token.type) && (
        <fieldset className="edit-data">
          <legend>{t.data}</legend>
          <p className="faint">{t.dataHelp}</p>
          <DataFields type={token.type} data={draft.data} errors={{}} onChange={(data) => change({ data })} />
        </fieldset>
      )}
      <TagsInput
        label={words.containers}
        data={[...new Set(counts.map(({ container }) => container))]}
        value={[...draft.containers]}
        onChange={(containers) => change({ containers })}
        maxTags={10}
      />
      <PairsInput
        label={words.metadata}
        pairs={draft.metadata}
        onChange={(metadata) => change({ metadata })}
        words={{ key: words.key, value: words.pairValue, add: words.addPair, remove: words.removePair }}
      />
      <TextInput
        label={words.expires}
        placeholder={words.expiresHelp}
        value={draft.expires_at}
        onChange={(event) => change({ expires_at: event.currentTarget.value })}
      />
      <Textarea
        label={words.mask}
        autosize
        minRows={2}
        value={draft.mask}
        onChange={(event) => change({ mask: event.currentTarget.value })}
        {...mono}
      />
      <TextInput
        label={words.fingerprint}
        value={draft.fingerprint_expression}
        onChange={(event) => change({ fingerprint_expression: event.currentTarget.value })}
        {...mono}
      />
      <TagsInput
        label={words.indexes}
        placeholder={words.indexesHelp}
        value={[...draft.search_indexes]}
        onChange={(search_indexes) => change({ search_indexes })}
        splitChars={[]}
        maxTags={10}
      />
    </>
  )
}
