import { app, type BrowserWindow, type WebContents } from 'electron'

type Leaving = {
  readonly isLeaving: () => boolean
  /** For a system that goes down and waits for no question. */
  readonly leaveAtOnce: () => void
  /** Whether programs use the listener. */
  readonly isListening: () => boolean
}

/** The one window of the program: opened when it is asked for, hidden while programs use the listener. */
export class OneWindow {
  readonly #open: () => BrowserWindow
  readonly #leaving: Leaving
  #window: BrowserWindow | undefined

  constructor(open: () => BrowserWindow, leaving: Leaving) {
    this.#open = open
    this.#leaving = leaving
  }

  /** The page of the window, while it is open. */
  get contents(): WebContents | undefined {
    return this.#window && !this.#window.isDestroyed() ? this.#window.webContents : undefined
  }

  /** Brings the window to the front, and opens it where it is not open. */
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
        // Applications that use the listener go on: the tray holds Coffer.
        event.preventDefault()
        window.hide()
      } else if (process.platform !== 'darwin') {
        // The window stays while it is asked what to do with unfinished work.
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
