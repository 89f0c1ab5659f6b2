import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { rememberUsed, useRecent } from '../../renderer/app/frame/palette-store.ts'
import { createRequestGuard } from '../../renderer/parts/connection/request-guard.ts'
import { spaceRuns } from '../../renderer/parts/connection/spaced-runner.ts'
import { createVaultState, createVaultStore, resetStores } from '../../renderer/parts/connection/store.ts'

test('a response is current until another query starts', () => {
  const list = createRequestGuard()
  const first = list.start()
  const more = list.join()
  expect([first(), more()]).toEqual([true, true])
  const second = list.start()
  expect([first(), more(), second()]).toEqual([false, false, true])
})

test('X-35 a lock makes responses to earlier requests stale', () => {
  const store = createVaultStore<{ rows: readonly string[] }>(() => ({ rows: [] }))
  const list = createRequestGuard()
  const asked = list.start()
  store.setState({ rows: ['a'] })
  resetStores()
  expect([asked(), store.getState().rows]).toEqual([false, []])
  expect(list.join()()).toBe(true)
})

test('X-35 a lock resets vault state outside stores, even if it is written later', () => {
  const readings = createVaultState<string[]>(() => [])
  const before = readings.current
  before.push('of the first vault')
  resetStores()
  before.push('late')
  expect(readings.current).toEqual([])
})

test('X-35 a lock drops the runs that were requested before it', async () => {
  vi.useFakeTimers()
  try {
    let runs = 0
    const { requestRun } = spaceRuns(async () => {
      runs++
    }, 300)
    requestRun()
    requestRun()
    resetStores()
    await vi.advanceTimersByTimeAsync(1000)
    expect(runs).toBe(1)
    requestRun()
    await vi.advanceTimersByTimeAsync(1000)
    expect(runs).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('X-35 a lock clears the recent entries of the palette', () => {
  rememberUsed({ id: 'open-a', group: 'Applications', label: 'a', icon: 'app', run: () => {} }, null)
  expect(useRecent.getState().recent).toHaveLength(1)
  resetStores()
  expect(useRecent.getState().recent).toEqual([])
})

/** Variables without content of a vault: a serial number, the number of locks, and timers that hide plaintext. */
const harmless = ['number', 'locks', 'timer']

test('X-35 modules of stores have no state that a lock does not reset', () => {
  const folder = path.join(import.meta.dirname, '..', '..', 'renderer')
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
  const found = files.flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    if (!/createVaultStore|createVaultState/.test(text)) return []
    const names = [...text.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name = '']) => name)
    return names.filter((name) => !harmless.includes(name)).map((name) => `${file}: ${name}`)
  })
  expect(found).toEqual([])
})

test('a response that arrives after a later one is stale', () => {
  const list = createRequestGuard()
  const [first, second, third] = [list.repeat(), list.repeat(), list.repeat()]
  expect(second()).toBe(true)
  expect(first()).toBe(false)
  expect([third(), third(), second()]).toEqual([true, true, false])
  const other = list.repeat()
  list.start()
  expect(other()).toBe(false)
})
