import { expect, test } from 'vitest'
import { validateReactorDraft } from '../../renderer/screens/reactors/reactor-draft.ts'

test('what is wrong with a reactor is said in sentences', () => {
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
