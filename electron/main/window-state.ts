import fs from 'node:fs'
import path from 'node:path'
import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { z } from 'zod'
import { writeAtomically } from '../host/atomic-write.ts'

const state = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(400), height: z.int().min(300) }),
  maximized: z.boolean(),
})

export const defaultSize = { width: 1180, height: 760 }

function fileIn(folder: string): string {
  return path.join(folder, 'window.json')
}

/** Where the window was last; nothing where that is unknown or on a screen that is gone. */
export function readWindowState(folder: string): z.output<typeof state> | undefined {
  try {
    const read = state.parse(JSON.parse(fs.readFileSync(fileIn(folder), 'utf8')))
    return screen.getAllDisplays().some(({ workArea }) => overlaps(workArea, read.bounds)) ? read : undefined
  } catch {
    return undefined
  }
}

/** Remembers where the window is, whenever it closes or hides. */
export function keepWindowState(window: BrowserWindow, folder: string): void {
  const write = () => {
    try {
      const now = { bounds: window.getNormalBounds(), maximized: window.isMaximized() }
      writeAtomically(fileIn(folder), JSON.stringify(now))
    } catch {
      // Not worth a word: the next start centres the window.
    }
  }
  window.on('close', write)
  window.on('hide', write)
}

function overlaps(area: Rectangle, bounds: Rectangle): boolean {
  const width = Math.min(area.x + area.width, bounds.x + bounds.width) - Math.max(area.x, bounds.x)
  const height = Math.min(area.y + area.height, bounds.y + bounds.height) - Math.max(area.y, bounds.y)
  return width >= 100 && height >= 100
}
