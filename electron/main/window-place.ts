import type { Rectangle } from 'electron'

type Place = Pick<Rectangle, 'width' | 'height'> & Partial<Pick<Rectangle, 'x' | 'y'>>

/** As much of the title bar as must be seen to take hold of it. */
const GRIP = { width: 100, height: 16 }
const TITLE_BAR = 32

/**
 * Where a window of these bounds opens on screens with these areas: as it was, where its title bar can be reached;
 * else in the middle, no larger than the first of them.
 */
export function placeOn(areas: readonly Rectangle[], bounds: Rectangle): Place {
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
