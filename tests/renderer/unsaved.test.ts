import { expect, test } from 'vitest'
import { chooseLeave, confirmLeave, useUnsaved } from '../../renderer/parts/navigation/unsaved.ts'

test('discarding a form keeps the unsaved changes of the screen that stays', () => {
  useUnsaved.setState({ forms: ['form'], screens: ['tokens', 'requests'], keys: [] })
  let hasLeft = false
  const confirmLeaving = () => {
    hasLeft = true
  }
  confirmLeave(confirmLeaving, undefined, 'tokens')
  expect(hasLeft).toBe(false)
  chooseLeave()
  expect(hasLeft).toBe(true)
  expect(useUnsaved.getState()).toMatchObject({ forms: [], screens: ['tokens'], pendingQuestion: null })
})
