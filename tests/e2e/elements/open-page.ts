import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { launchChromium } from '../chromium.ts'

type PageKind = 'shop' | 'form'
type OpenedPage = {
  readonly server: http.Server
  /** The server's response. */
  readonly answer: { html: string; headers: Record<string, string> }
  readonly origin: string
  readonly context: BrowserContext
  readonly page: Page
  /** The requested URLs that are not on this machine. */
  readonly refused: string[]
  /** All messages in the console. */
  readonly faults: string[]
}

const localHosts = ['localhost', '127.0.0.1']

const contexts = {
  // Requests to other machines go to a proxy that does not exist, so they fail.
  shop: { proxy: { server: 'http://127.0.0.1:9', bypass: localHosts.join() } },
  form: { permissions: ['clipboard-read', 'clipboard-write'] },
}

/** Pages of finished tests, kept for reuse because the browser starts processes for a new page. */
const spares = new Map<PageKind, OpenedPage>()

/**
 * Opens an empty page with a server. Unless `fresh` is set, tests share the page one after another, so a test must
 * leave its context unchanged.
 */
export async function openPage(kind: PageKind, { fresh }: { fresh: boolean }): Promise<OpenedPage> {
  const spare = fresh ? undefined : spares.get(kind)
  if (spare) spares.delete(kind)
  // If a test has closed its browser, its pages are closed too.
  if (spare?.page.isClosed()) spare.server.close()
  const opened = spare && !spare.page.isClosed() ? spare : await openNewPage(kind)
  const { server, answer, context, page, refused, faults } = opened
  Object.assign(answer, { html: '', headers: {} })
  refused.length = 0
  faults.length = 0
  onTestFinished(async ({ task }) => {
    if (!fresh && task.result?.state !== 'fail' && !spares.has(kind) && !page.isClosed()) {
      await page.goto('about:blank')
      spares.set(kind, opened)
      return
    }
    await context.close()
    server.closeAllConnections()
    server.close()
  })
  return opened
}

async function openNewPage(kind: PageKind): Promise<OpenedPage> {
  const answer = { html: '', headers: {} }
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...answer.headers })
    response.end(answer.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const context = await (await launchChromium()).newContext(contexts[kind])
  const refused: string[] = []
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (protocol.startsWith('http') && !localHosts.includes(hostname)) refused.push(request.url())
  })
  const faults: string[] = []
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return { server, answer, origin, context, page, refused, faults }
}
