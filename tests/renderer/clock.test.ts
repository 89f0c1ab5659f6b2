import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getDisplayedNow, getVaultNow, setVaultNow, subscribeToClock } from '../../renderer/ui/time/clock.ts'
import { formatAge, formatAhead } from '../../renderer/ui/time/relative-time.ts'

const start = Date.parse('2026-05-04T10:00:00.400Z')
const toIso = (ms: number) => new Date(ms).toISOString()

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  setVaultNow(null)
})
afterEach(() => {
  setVaultNow(null)
  vi.useRealTimers()
})

/** Displays an age like the page. Returns how often it is computed, and the texts it shows. */
function startAge(at: number) {
  const age = { reads: 0, texts: [] as string[] }
  const updateAge = () => {
    age.reads++
    const text = formatAge(getDisplayedNow() - at, false)
    if (age.texts.at(-1) !== text) age.texts.push(text)
  }
  updateAge()
  return { age, stop: subscribeToClock(updateAge) }
}

test('one timer updates all displayed ages, and those below a minute every second', () => {
  const one = startAge(start - 57_000)
  vi.advanceTimersByTime(350)
  // This age is rendered later, but for the same displayed time.
  const other = startAge(start - 57_000)
  const old = startAge(start - 3 * 60_000)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(70_000)
  expect(one.age.texts).toEqual(['57 s ago', '58 s ago', '59 s ago', '1 min ago', '2 min ago'])
  expect(other.age.texts).toEqual(one.age.texts)
  expect(old.age.texts).toEqual(['3 min ago', '4 min ago'])
  // An age is read once for each second that has started, and once for the first render.
  expect(old.age.reads).toBeLessThanOrEqual(72)
  for (const { stop } of [one, other, old]) stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('a new record is never in the future, and an expiry is never displayed too early', () => {
  const { stop } = startAge(start)
  vi.advanceTimersByTime(590)
  // The record is written 590 ms after the time that the page displays.
  const at = Date.now()
  expect(getDisplayedNow()).toBeLessThan(at)
  expect(formatAge(getDisplayedNow() - at, false)).toBe('just now')
  expect(formatAge(-30_000, true)).toBe('just now')
  expect([18_000, 1000, 999, 0, -59_000].map(formatAhead)).toEqual(['in 18 s', 'in 1 s', 'now', 'now', 'now'])
  expect(formatAhead(-60_000)).toBe('1 min ago')
  stop()
})

test('ages follow the clock of the vault, even when it is moved', () => {
  const { age, stop } = startAge(start)
  setVaultNow(toIso(start + 86_400_000))
  expect(age.texts).toEqual(['just now', '1 d ago'])
  expect(getVaultNow()).toBe(start + 86_400_000)
  expect(getDisplayedNow('machine')).toBe(start)
  // This time comes from a status that was in flight. It is slightly behind the clock, so it changes nothing.
  setVaultNow(toIso(start + 86_400_000 - 700))
  expect(getVaultNow()).toBe(start + 86_400_000)
  // After the clock was set back, existing times are far ahead, which is said instead of an age.
  setVaultNow(toIso(start - 7_200_000))
  expect(age.texts.at(-1)).toBe('2 h ahead')
  stop()
})
