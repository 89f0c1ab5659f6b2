import fs from 'node:fs'
import path from 'node:path'
import { type BrowserWindow, screen } from 'electron'
import { z } from '../../shared/zod.ts'
import { writeAtomically } from '../host/files/atomic-write.ts'
import { fitToScreens } from './window-bounds.ts'

const MAX_SIZE = 20_000
const state = z.object({
  bounds: z.object({
    x: z.int(),
    y: z.int(),
    width: z.int().min(400).max(MAX_SIZE),
    height: z.int().min(300).max(MAX_SIZE),
  }),
  maximized: z.boolean(),
})

function getStateFile(folder: string): string {
  return path.join(folder, 'window.json')
}

/** The last position of the window, adjusted to the current screens; undefined if unknown. */
export function readWindowState(folder: string) {
  try {
    const { bounds, maximized } = state.parse(JSON.parse(fs.readFileSync(getStateFile(folder), 'utf8')))
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    return { bounds: fitToScreens(areas, bounds), maximized }
  } catch {
    return undefined
  }
}

/** Saves the position of the window whenever it closes or hides. */
export function keepWindowState(window: BrowserWindow, folder: string): void {
  const saveState = () => {
    try {
      const now = { bounds: window.getNormalBounds(), maximized: window.isMaximized() }
      writeAtomically(getStateFile(folder), JSON.stringify(now))
    } catch {
      // Not worth reporting: the next start centres the window.
    }
  }
  window.on('close', saveState)
  window.on('hide', saveState)
}
