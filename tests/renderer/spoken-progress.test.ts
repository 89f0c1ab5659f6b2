import { expect, test } from 'vitest'
import { formatSpokenProgress } from '../../renderer/ui/spoken-progress.tsx'

test('a screen reader hears each quarter of the progress, not every step', () => {
  const listAnnouncements = (total: number) =>
    new Set(
      Array.from({ length: total + 1 }, (_, done) => formatSpokenProgress('Importing', { done, total })),
    )
  const quarters = ['Importing', 'Importing: 25%', 'Importing: 50%', 'Importing: 75%', 'Importing: 100%']
  expect([...listAnnouncements(5_000)]).toEqual(quarters)
  expect([...listAnnouncements(1)]).toEqual(['Importing', 'Importing: 100%'])
  // At this point the total is not known yet.
  expect(formatSpokenProgress('Importing', { done: 0, total: 0 })).toBe('Importing')
})
