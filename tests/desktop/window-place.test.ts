import { expect, test } from 'vitest'
import { fitToScreens } from '../../electron/main/window-bounds.ts'

const left = { x: 0, y: 0, width: 1920, height: 1040 }
const right = { x: 1920, y: 0, width: 1280, height: 984 }

test('a window opens at its last position if its title bar is reachable', () => {
  for (const bounds of [
    { x: 20, y: 30, width: 900, height: 700 },
    { x: 2000, y: 100, width: 900, height: 700 },
    // Half outside the screen and slightly above its top, which systems allow.
    { x: -700, y: 900, width: 900, height: 700 },
    { x: -8, y: -8, width: 1936, height: 1056 },
  ]) {
    expect(fitToScreens([left, right], bounds)).toEqual(bounds)
  }
})

test('a window whose title bar is out of reach opens centred and fits the screen', () => {
  expect(fitToScreens([left], { x: 2000, y: 100, width: 900, height: 700 })).toEqual({
    width: 900,
    height: 700,
  })
  expect(fitToScreens([left], { x: 100, y: -400, width: 900, height: 700 })).toEqual({
    width: 900,
    height: 700,
  })
  expect(fitToScreens([left], { x: 1900, y: 0, width: 2560, height: 1400 })).toEqual({
    width: 1920,
    height: 1040,
  })
  expect(fitToScreens([], { x: 0, y: 0, width: 900, height: 700 })).toEqual({ width: 900, height: 700 })
})
