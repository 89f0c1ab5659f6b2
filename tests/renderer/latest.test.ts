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

test('an answer that comes after one to a later question is not wanted', () => {
  const list = latest()
  const [first, second, third] = [list.again(), list.again(), list.again()]
  expect(second()).toBe(true)
  expect(first()).toBe(false)
  expect([third(), third(), second()]).toEqual([true, true, false])
  const other = list.again()
  list.begin()
  expect(other()).toBe(false)
})
