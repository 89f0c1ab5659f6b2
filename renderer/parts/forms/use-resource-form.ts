import { use, useMemo } from 'react'
import { showToast } from '../messages/toast.tsx'
import { createEdit } from './edit.ts'
import { FormGone } from './gone.tsx'
import { type FormState, useForm } from './use-form.ts'

type ResourceFormOptions<Stored, Draft, Input> = {
  /** What is edited; null for a new one. */
  readonly stored: Stored | null
  readonly client: {
    get(of: { id: string }): Promise<Stored>
    create(input: Input): Promise<Stored>
    update(input: Input & { id: string }): Promise<Stored>
  }
  readonly toDraft: (stored: Stored | null) => Draft
  readonly toInput: (draft: Draft) => Input
  /** Validates a draft before it is sent. */
  readonly check: (draft: Draft) => Readonly<Record<string, string>>
  readonly strings: Readonly<Record<keyof Draft & string, string>> & {
    readonly created: string
    readonly saved: string
  }
  /** Reloads the list. */
  readonly load: () => Promise<void>
  readonly onSaved: (id: string) => unknown
}

/** The form of a resource: it creates one, or saves the edited fields of a stored one and can undo that. */
export function useResourceForm<Stored extends { readonly id: string }, Draft extends object, Input>(
  options: ResourceFormOptions<Stored, Draft, Input>,
): FormState<Draft> {
  const { stored, client, toDraft, toInput, check, strings: t, load, onSaved } = options
  const isGone = use(FormGone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are always the same
  const edit = useMemo(
    () =>
      stored &&
      !isGone &&
      createEdit({
        before: toDraft(stored),
        read: () => client.get({ id: stored.id }),
        toDraft,
        write: (draft) => client.update({ ...toInput(draft), id: stored.id }),
        labels: t,
      }),
    [stored, isGone],
  )
  return useForm({
    initial: () => toDraft(stored),
    getUnsavedInput: (draft) => draft,
    check,
    send: (draft) => (edit ? edit.save(draft) : client.create(toInput(draft))),
    async onDone({ id }) {
      await load()
      await onSaved(id)
      if (!edit) return showToast(t.created)
      showToast(t.saved, { undo: () => edit.undo().then(load) })
    },
  })
}
