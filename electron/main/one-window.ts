import { app, type BrowserWindow, type WebContents } from 'electron'

type Leaving = {
  readonly isLeaving: () => boolean
  /** For a system shutdown, which does not wait for a dialog. */
  readonly leaveAtOnce: () => void
  /** Whether the listener is on. */
  readonly isListening: () => boolean
}

/** The program's only window: opened on request, hidden instead of closed while the listener is on. */
export class OneWindow {
  readonly #open: () => BrowserWindow
  readonly #leaving: Leaving
  #window: BrowserWindow | undefined

  constructor(open: () => BrowserWindow, leaving: Leaving) {
    this.#open = open
    this.#leaving = leaving
  }

  /** The page of the window; undefined while it is closed. */
  get contents(): WebContents | undefined {
    return this.#window && !this.#window.isDestroyed() ? this.#window.webContents : undefined
  }

  /** Brings the window to the front, opening it if necessary. */
  show(): void {
    if (!this.#window) {
      this.#window = this.#opened()
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
    this.#window.focus()
  }

  #opened(): BrowserWindow {
    const { isLeaving, leaveAtOnce, isListening } = this.#leaving
    const window = this.#open()
    window.on('close', (event) => {
      if (isLeaving()) return
      if (isListening()) {
        // Applications keep using the listener: Coffer stays in the tray.
        event.preventDefault()
        window.hide()
      } else if (process.platform !== 'darwin') {
        // The window stays open while the owner is asked about unfinished work.
        event.preventDefault()
        app.quit()
      }
    })
    window.on('session-end', leaveAtOnce)
    window.on('closed', () => {
      this.#window = undefined
    })
    return window
  }
}
