import type { Rectangle } from 'electron'

type WindowBounds = Pick<Rectangle, 'width' | 'height'> & Partial<Pick<Rectangle, 'x' | 'y'>>

/** How many pixels of the title bar must be visible, so that the owner can drag the window. */
const GRIP = { width: 100, height: 16 }
const TITLE_BAR = 32

/**
 * Returns the bounds for opening a window on screens with these areas. Returns `bounds` if the title bar can be reached
 * there. Otherwise, returns only a size, no larger than the first screen, so that the window is centred.
 */
export function fitToScreens(areas: readonly Rectangle[], bounds: Rectangle): WindowBounds {
  if (areas.some((area) => isReachable(area, bounds))) return bounds
  const { width, height } = bounds
  const [first = bounds] = areas
  return { width: Math.min(width, first.width), height: Math.min(height, first.height) }
}

function isReachable(area: Rectangle, { x, y, width }: Rectangle): boolean {
  const wide = Math.min(area.x + area.width, x + width) - Math.max(area.x, x)
  const high = Math.min(area.y + area.height, y + TITLE_BAR) - Math.max(area.y, y)
  return wide >= GRIP.width && high >= GRIP.height
}
