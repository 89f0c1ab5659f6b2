import { expect, test } from 'vitest'
import { getShortcut, railGroups } from '../../renderer/app/frame/rail-groups.ts'
import { screenNames } from '../../renderer/parts/navigation/screens.ts'

test('the navigation rail lists every screen, in order', () => {
  expect(
    railGroups.flatMap(({ screens }) => screens),
    'Put the screens of a group beside each other in renderer/parts/navigation/screens.ts.',
  ).toEqual(screenNames)
})

test('the first nine screens and Settings have a shortcut', () => {
  const order = [...screenNames.filter((screen) => screen !== 'home'), 'home'] as const
  const shortcuts = order.map((screen) => getShortcut(screen, order))
  expect(shortcuts.slice(0, 3)).toEqual(['mod+1', 'mod+2', 'mod+3'])
  expect(shortcuts).toContain('mod+,')
  // The tenth screen.
  expect(shortcuts.at(-1)).toBeNull()
})
