import { expect, test } from 'vitest'
import { createReactorDraft, validateReactorDraft } from '../../renderer/screens/reactors/reactor-draft.ts'

test("each invalid field of a reactor's form gets an error that is a sentence", () => {
  const problems = validateReactorDraft({
    ...createReactorDraft(undefined),
    code: 'x'.repeat(50_001),
  })
  expect(problems).toEqual({
    name: 'Must not be empty.',
    code: 'Must have at most 50000 characters.',
  })
})
