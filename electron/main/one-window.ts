import { app, type BrowserWindow, type WebContents } from 'electron'

type QuitState = {
  readonly isQuitting: () => boolean
  /** Quits without asking, for a system shutdown, which does not wait for a dialog. */
  readonly quitNow: () => void
  readonly isListening: () => boolean
}

/** The program's only window: opened on request, hidden instead of closed while the listener is on. */
export class OneWindow {
  readonly #open: () => BrowserWindow
  readonly #quitState: QuitState
  #window: BrowserWindow | undefined

  constructor(open: () => BrowserWindow, quitState: QuitState) {
    this.#open = open
    this.#quitState = quitState
  }

  get contents(): WebContents | undefined {
    return this.#window && !this.#window.isDestroyed() ? this.#window.webContents : undefined
  }

  /** Brings the window to the front, opening it if necessary. */
  show(): void {
    if (!this.#window) {
      this.#window = this.#createWindow()
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
    this.#window.focus()
  }

  #createWindow(): BrowserWindow {
    const { isQuitting, quitNow, isListening } = this.#quitState
    const window = this.#open()
    window.on('close', (event) => {
      if (isQuitting()) return
      if (isListening()) {
        // Coffer stays in the tray, so that applications can keep using the listener.
        event.preventDefault()
        window.hide()
      } else if (process.platform !== 'darwin') {
        // Keep the window open while Coffer asks the owner about running jobs.
        event.preventDefault()
        app.quit()
      }
    })
    window.on('session-end', quitNow)
    window.on('closed', () => {
      this.#window = undefined
    })
    return window
  }
}
