import { expect, test } from 'vitest'
import { validateReactorDraft } from '../../renderer/screens/reactors/reactor-draft.ts'

test("errors in a reactor's form are sentences", () => {
  const problems = validateReactorDraft({
    name: '',
    code: 'x'.repeat(50_001),
    application: null,
    configuration: [],
  })
  expect(problems).toEqual({
    name: 'Must not be empty.',
    code: 'Must have at most 50000 characters.',
  })
})
