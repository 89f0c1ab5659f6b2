import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import type * as Electron from 'electron'
import type { Browser, Frame, Page, Request as PageRequest, Route } from 'playwright-core'
import { app, Preventable } from './stand-in-app.ts'
import { ipcMain } from './stand-in-ipc.ts'
import type { Session } from './stand-in-session.ts'

/** The origin of the page, because Chromium does not know the `app://` scheme. URLs are translated between both. */
const ORIGIN = 'https://app.coffer.test'
const toApp = (url: string) => url.replace(ORIGIN, 'app://coffer')
const fromApp = (url: string) => url.replace(/^app:\/\/coffer/, ORIGIN)

type OpenHandler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0]

const windowDetails = (url: string): Electron.HandlerDetails => ({
  url,
  frameName: '',
  features: '',
  disposition: 'new-window',
  referrer: { url: '', policy: 'no-referrer' },
})

let browser: Promise<Browser> | undefined

/** Loads Playwright lazily: a program that exits before it has a window does not need it. */
async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

app.onEnd = async () => {
  await (await browser)?.close()
}

/** A page's web contents, with the events by which the program guards the page. */
class WebContents
  extends EventEmitter
  implements
    Pick<Electron.WebContents, 'reload' | 'setWindowOpenHandler' | 'send' | 'setWebRTCIPHandlingPolicy'>
{
  webRtc = 'default'
  page: Page | undefined
  handleOpen: OpenHandler = () => ({ action: 'allow' })
  reload = (): void => {}
  readonly #frames = new Map<Frame, { readonly url: string }>()

  get mainFrame() {
    return this.page && this.getFrame(this.page.mainFrame())
  }
  /** Returns the same object for the same frame, as Electron does. */
  getFrame(frame: Frame): { readonly url: string } {
    const known = this.#frames.get(frame) ?? {
      get url() {
        return toApp(frame.url())
      },
    }
    this.#frames.set(frame, known)
    return known
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.handleOpen = handler
  }
  setWebRTCIPHandlingPolicy(policy: string): void {
    this.webRtc = policy
  }
  send(channel: string, data: unknown): void {
    void this.page
      ?.evaluate(([c, d]) => Reflect.get(globalThis, '__deliver')?.(c, d), [channel, data] as const)
      .catch(() => {})
  }
}

type StandInWindowOptions = Omit<Electron.BrowserWindowConstructorOptions, 'webPreferences'> & {
  webPreferences: Omit<Electron.WebPreferences, 'session'> & { session: Session; preload: string }
}

/** Electron's `BrowserWindow` over a page of a real Chromium. */
export class BrowserWindow
  extends EventEmitter
  implements
    Pick<
      Electron.BrowserWindow,
      | 'loadURL'
      | 'show'
      | 'hide'
      | 'focus'
      | 'restore'
      | 'maximize'
      | 'isMinimized'
      | 'isMaximized'
      | 'isDestroyed'
      | 'getNormalBounds'
      | 'close'
    >
{
  static readonly all: BrowserWindow[] = []
  readonly options: StandInWindowOptions
  readonly webContents = new WebContents()
  readonly blockedUrls: string[] = []
  readonly #others = new Map<Page, WebContents>()
  #expectsPage = false
  visible = false
  destroyed = false
  loaded: Promise<void> = Promise.resolve()

  constructor(options: StandInWindowOptions) {
    super()
    this.options = options
    BrowserWindow.all.push(this)
    app.emit('web-contents-created', new Preventable(), this.webContents)
  }

  loadURL(url: string): Promise<void> {
    this.loaded = this.#loadPage(url)
    return this.loaded
  }

  async #loadPage(url: string): Promise<void> {
    const { session } = this.options.webPreferences
    browser ??= launchBrowser()
    const context = await (await browser).newContext()
    await context.exposeBinding('__invoke', ({ frame }, channel: string, args: unknown[]) =>
      this.invokeFrom(frame, channel, args),
    )
    await context.addInitScript({
      content: preloadScript(fs.readFileSync(this.options.webPreferences.preload, 'utf8')),
    })
    const page = await context.newPage()
    this.webContents.page = page
    this.webContents.reload = () => void page.goto(fromApp(url)).catch(() => {})
    context.on('page', (popup) => void this.#handlePopup(popup))
    page.on('download', (download) => {
      if (!session.canDownload(toApp(download.url()))) void download.cancel()
    })
    await context.route('**/*', (route) => this.#handleRoute(route, fromApp(url)))
    await page.goto(fromApp(url))
    this.emit('ready-to-show')
  }

  /** Passes `ipcRenderer.invoke` from the calling frame to `ipcMain`. */
  async invokeFrom(frame: Frame, channel: string, args: unknown[]): Promise<unknown> {
    const contents = this.#others.get(frame.page()) ?? this.webContents
    return ipcMain.invoke(
      channel,
      { sender: contents, senderFrame: contents.getFrame(frame), type: 'frame' },
      args,
    )
  }

  /** Runs a script in another window that shows the same page with the same preload. */
  async runInSibling(script: string): Promise<unknown> {
    const contents = new WebContents()
    this.#expectsPage = true
    const page = await this.webContents.page?.context().newPage()
    this.#expectsPage = false
    if (!page) throw new Error('there is no page')
    contents.page = page
    this.#others.set(page, contents)
    try {
      await page.goto(ORIGIN)
      return await page.evaluate(script)
    } finally {
      await page.close()
    }
  }

  /** Navigates the window to another page, which nothing in Coffer can do. */
  async leavePage(): Promise<void> {
    await this.webContents.page?.goto('about:blank')
  }

  async #handlePopup(popup: Page): Promise<void> {
    if (this.#expectsPage) return
    const url = toApp(popup.url())
    // A page with a URL is handled when it requests that URL. Only a dropped file arrives here.
    if (url === 'about:blank') this.webContents.handleOpen(windowDetails(url))
    else if (this.options.webPreferences.navigateOnDragDrop === false) this.blockedUrls.push(url)
    await popup.close().catch(() => {})
  }

  /** Simulates a crash of the page's process. */
  crashPage(): void {
    const details = { reason: 'crashed', exitCode: 1 }
    void this.webContents.page?.goto('about:blank').then(() => {
      this.webContents.emit('render-process-gone', new Preventable(), details)
    })
  }

  async #handleRoute(route: Route, first: string): Promise<void> {
    const request = route.request()
    const url = toApp(request.url())
    const { session } = this.options.webPreferences
    if (request.isNavigationRequest() && request.url() !== first && this.#isRefused(request, url)) {
      this.blockedUrls.push(url)
      // With status 204 the browser stays on its page, as when Electron prevents a navigation.
      await route.fulfill({ status: 204 })
      return
    }
    const handler = session.handlers.get('app')
    if (session.isCancelled(url) || !url.startsWith('app://') || !handler) {
      this.blockedUrls.push(url)
      await route.abort()
      return
    }
    const response = await handler(new Request(url, { method: request.method() }))
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    })
  }

  #isRefused(request: PageRequest, url: string): boolean {
    const frame = findFrame(request)
    if (!frame || frame.page() !== this.webContents.page) {
      return this.webContents.handleOpen(windowDetails(url)).action === 'deny'
    }
    const event = Object.assign(new Preventable(), { url, isMainFrame: frame === frame.page().mainFrame() })
    this.webContents.emit('will-frame-navigate', event)
    return event.defaultPrevented
  }

  show(): void {
    this.visible = true
  }
  hide(): void {
    this.visible = false
    this.emit('hide')
  }
  focus(): void {}
  restore(): void {}
  maximize(): void {}
  isMinimized(): boolean {
    return false
  }
  isMaximized(): boolean {
    return false
  }
  isDestroyed(): boolean {
    return this.destroyed
  }
  getNormalBounds() {
    return { x: 20, y: 30, width: 900, height: 700 }
  }

  /** Simulates a click on the close button. Returns whether the window closed. */
  close(): boolean {
    const event = new Preventable()
    this.emit('close', event)
    if (event.defaultPrevented) return false
    this.destroyed = true
    void this.webContents.page?.close()
    BrowserWindow.all.splice(BrowserWindow.all.indexOf(this), 1)
    this.emit('closed')
    if (BrowserWindow.all.length === 0) app.emit('window-all-closed')
    return true
  }
}

app.closeWindows = () => [...BrowserWindow.all].every((window) => window.close())

/** Returns the frame of a request, or undefined for the first request of a new page, which has no frame yet. */
function findFrame(request: PageRequest): Frame | undefined {
  try {
    return request.frame()
  } catch {
    return undefined
  }
}

/** Runs the built preload in the main frame with a `require` that knows only `electron`. */
function preloadScript(preload: string): string {
  return `(() => {
  const listeners = new Map()
  const exposed = (globalThis.__exposed = [])
  globalThis.__deliver = (channel, data) => {
    for (const listener of listeners.get(channel) ?? []) listener({ sender: null }, data)
  }
  const of = (channel) => listeners.set(channel, listeners.get(channel) ?? new Set()).get(channel)
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, api) => {
        exposed.push(name)
        Object.defineProperty(globalThis, name, { value: Object.freeze(api) })
      },
    },
    ipcRenderer: {
      invoke: (channel, ...args) => globalThis.__invoke(channel, args),
      on: (channel, listener) => of(channel).add(listener),
      off: (channel, listener) => of(channel).delete(listener),
    },
  }
  const require = (name) => {
    if (name === 'electron') return electron
    throw new Error('module not found: ' + name)
  }
  if (globalThis.top !== globalThis) return
  const module = { exports: {} }
  ;(function (require, module, exports, process, Buffer) {
${preload}
  })(require, module, module.exports)
})()`
}
