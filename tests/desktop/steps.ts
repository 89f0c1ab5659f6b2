import type { Page } from 'playwright-core'

/** The steps that a test can run in the desktop program, in the stand-in and in the real Electron alike. */
export type Steps = {
  readClipboard(): string | Promise<string>
  /** Simulates a copy in another program. */
  copyText(text: string): void | Promise<void>
  /** The links that the system was told to open. */
  listOpenedLinks(): string[]
  clickMenu(label: string): boolean
  clickTray(label: string): boolean
  listTrayLabels(): string[]
  getTheme(): string
  /** Emits an event of `powerMonitor`. */
  emitPowerEvent(event: string): void
  /** Sets the wall clock forward, without firing timers. */
  moveClock(ms: string): void
  /** Returns the questions of the dialogs that wait for an answer. */
  listQuestions(): string[]
  /** Clicks the button with this name in the waiting dialog. */
  clickDialogButton(button: string): void
  /** Simulates a click on the window's close button. */
  closeWindow(): void
  isVisible(): boolean
  getBounds(): { x: number; y: number; width: number; height: number }
  /** Makes the page's process crash. */
  crashPage(): void | Promise<void>
  quit(): void
}

/** The steps that a test can run in the page. */
export const pageSteps = {
  runScript: (page: Page, script: string) => page.evaluate(script),
  clickButton: (page: Page, button: string) =>
    page.getByRole('button', { name: button, exact: true }).click(),
  clickLabel: (page: Page, label: string) => page.getByLabel(label).click(),
  fillInput: (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text),
  waitForText: (page: Page, text: string) => page.getByText(text).first().waitFor(),
  pressKey: (page: Page, key: string) => page.keyboard.press(key),
  /** Clicks a download button, and returns the file's name and text. */
  async saveFile(page: Page, button: string) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    return download.suggestedFilename()
  },
  /** Drops a file of this machine onto the middle of the page. */
  async dropFile(page: Page, file: string) {
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
  },
}
export type PageSteps = typeof pageSteps
