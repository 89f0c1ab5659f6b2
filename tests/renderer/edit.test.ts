import { expect, test } from 'vitest'
import { createEdit } from '../../renderer/parts/forms/edit.ts'

type TestDraft = { readonly name: string; readonly rules: readonly string[]; readonly note: string }

const before: TestDraft = { name: 'Backend', rules: ['reveal'], note: '' }

/** Creates a store that another program can change, and an edit in a form that starts with `before`. */
function startEdit() {
  const store = { now: before }
  const edit = createEdit<TestDraft, TestDraft>({
    before,
    read: async () => store.now,
    toDraft: (stored) => stored,
    write: async (draft) => {
      store.now = draft
      return draft
    },
    labels: { name: 'Name', rules: 'Rules', note: 'Note' },
  })
  return { store, edit, changeStored: (part: Partial<TestDraft>) => (store.now = { ...store.now, ...part }) }
}

test('an edit and its undo preserve changes that others made meanwhile', async () => {
  const { store, edit, changeStored: elsewhere } = startEdit()
  elsewhere({ rules: ['mask'] })
  await edit.save({ ...before, name: 'Back end' })
  expect(store.now).toEqual({ name: 'Back end', rules: ['mask'], note: '' })
  elsewhere({ note: 'new' })
  await edit.undo()
  expect(store.now).toEqual({ name: 'Backend', rules: ['mask'], note: 'new' })
})

test('a save reports a conflicting field, and a second save overwrites it', async () => {
  const { store, edit, changeStored: elsewhere } = startEdit()
  elsewhere({ rules: ['mask'], note: 'new' })
  const edited = { ...before, rules: ['redact'] }
  await expect(edit.save(edited)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(': Rules. Save again'),
  })
  expect(store.now.rules).toEqual(['mask'])
  elsewhere({ rules: ['reveal', 'mask'] })
  await expect(edit.save(edited)).rejects.toMatchObject({ code: 'conflict' })
  await edit.save(edited)
  expect(store.now).toEqual({ name: 'Backend', rules: ['redact'], note: 'new' })
  await edit.undo()
  expect(store.now.rules).toEqual(['reveal', 'mask'])
})

test('the same change on both sides is no conflict', async () => {
  const { store, edit, changeStored: elsewhere } = startEdit()
  elsewhere({ name: 'Shop' })
  await edit.save({ ...before, name: 'Shop', note: 'x' })
  expect(store.now).toEqual({ name: 'Shop', rules: ['reveal'], note: 'x' })
})
