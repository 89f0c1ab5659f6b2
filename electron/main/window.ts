import fs from 'node:fs'
import path from 'node:path'
import { app, BrowserWindow, nativeTheme, type Session, screen } from 'electron'
import { z } from '../../shared/zod.ts'
import type { ReportIncident } from '../engine/index.ts'
import { writeAtomically } from '../host/files/atomic-write.ts'
import { getWindowUrl } from './origin.ts'
import { fitToScreens } from './window-bounds.ts'

const defaultSize = { width: 1180, height: 760 }

export type WindowOptions = {
  readonly session: Session
  readonly preload: string
  readonly folder: string
  readonly icon: string
  readonly report: ReportIncident
}

/** Opens the window. Every line of `webPreferences` is a protection, even where it repeats today's default. */
export function openWindow({ session, preload, folder, icon, report }: WindowOptions): BrowserWindow {
  const last = readWindowState(folder)
  const window = new BrowserWindow({
    ...(last?.bounds ?? defaultSize),
    minWidth: 720,
    minHeight: 480,
    title: 'Coffer',
    icon,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#141517' : '#ffffff',
    webPreferences: {
      session,
      preload,
      // SECURITY: page and preload do not share globals, so a page cannot alter what the bridge uses.
      contextIsolation: true,
      // SECURITY: the operating system's sandbox around the page's process.
      sandbox: true,
      // SECURITY: no Node in the page, its workers or its frames.
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      // SECURITY: the same-origin policy stays on, and a secure page loads no insecure content.
      webSecurity: true,
      allowRunningInsecureContent: false,
      // SECURITY: no unfinished Chromium features.
      experimentalFeatures: false,
      // SECURITY: no embedded foreign pages.
      webviewTag: false,
      // SECURITY: dropping a file or a link onto the window does not open it.
      navigateOnDragDrop: false,
      // SECURITY: typed text is not looked up anywhere.
      spellcheck: false,
      // SECURITY: no developer console in a packaged vault.
      devTools: !app.isPackaged,
    },
  })
  keepWindowState(window, folder)
  window.once('ready-to-show', () => {
    if (last?.maximized) window.maximize()
    window.show()
  })
  reloadAfterCrash(window, report)
  window.loadURL(getWindowUrl()).catch((error) => {
    // Loading also fails when the window is closed before its page has loaded.
    if (!window.isDestroyed()) report(error, 'load the window')
  })
  return window
}

/** Reloads the page when its process fails, unless it has failed within the last 10 seconds. */
function reloadAfterCrash({ webContents }: BrowserWindow, report: ReportIncident): void {
  let failed_at = 0
  webContents.on('render-process-gone', (_event, { reason }) => {
    const isRepeated = Date.now() - failed_at < 10_000
    failed_at = Date.now()
    if (reason !== 'clean-exit') report(toProcessError(reason), 'window')
    if (reason !== 'clean-exit' && !isRepeated) webContents.reload()
  })
}

function toProcessError(reason: string): Error {
  const code = reason.toUpperCase().replaceAll('-', '_')
  return Object.assign(new Error('The process of the page has ended.'), { name: 'PageProcessGone', code })
}

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
function readWindowState(folder: string) {
  try {
    const { bounds, maximized } = state.parse(JSON.parse(fs.readFileSync(getStateFile(folder), 'utf8')))
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    return { bounds: fitToScreens(areas, bounds), maximized }
  } catch {
    return undefined
  }
}

function keepWindowState(window: BrowserWindow, folder: string): void {
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
