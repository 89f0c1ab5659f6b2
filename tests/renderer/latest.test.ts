import { expect, test } from 'vitest'
import { latest } from '../../renderer/parts/connection/latest.ts'
import { forgetVault, vaultStore } from '../../renderer/parts/connection/store.ts'

test('an answer is wanted until another question begins', () => {
  const list = latest()
  const first = list.begin()
  const more = list.join()
  expect([first(), more()]).toEqual([true, true])
  const second = list.begin()
  expect([first(), more(), second()]).toEqual([false, false, true])
})

test('X-35 no answer is wanted once the vault is locked', () => {
  const store = vaultStore<{ rows: readonly string[] }>(() => ({ rows: [] }))
  const list = latest()
  const asked = list.begin()
  store.setState({ rows: ['a'] })
  forgetVault()
  expect([asked(), store.getState().rows]).toEqual([false, []])
  expect(list.join()()).toBe(true)
})
