import { expect, test } from 'vitest'
import { getShortcut, railGroups } from '../../renderer/app/frame/screens.ts'
import { screenNames } from '../../renderer/parts/navigation/route-text.ts'

test('the navigation rail lists every screen, in order', () => {
  expect(
    railGroups.flatMap(({ screens }) => screens),
    'Add the screen to `railGroups` in renderer/app/frame/screens.ts, in the order of `screenNames`.',
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
