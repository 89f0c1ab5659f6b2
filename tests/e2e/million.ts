import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import type { Load, LoadResult } from '../bench/load.ts'
import { askChild, startModule } from '../bench/processes.ts'
import { buildCreates, buildGets } from '../bench/requests.ts'
import { fillVault, makeVault, passphrase } from '../bench/vault.ts'
import { getChromiumOptions } from './chromium.ts'
import { openPage, startWindow } from './start-window.ts'

const help = `npm run million -- [--tokens 1000000] [--seconds 10]

Opens a vault of many tokens in the window: how long the first rows take, how many frames scrolling drops, how much
processor time its threads take for a frame, how long a jump, a search and a token of 2 MiB take, and how the lists keep
up with 200 requests a second. Only processor times are independent of what else the machine does.`

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit()
}
const tokens = Number(values.tokens)
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-million-'))
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }))
const dataDir = path.join(work, 'data')
const made = await makeVault(dataDir)
console.log(`${tokens.toLocaleString('en')} tokens made in ${(await fillVault(made, tokens)).toFixed(1)} s`)

const browser = await chromium.launch(getChromiumOptions())
browser.on('disconnected', () => console.log('Chromium ended.'))
const vault = await startWindow(dataDir)
await vault.owner.host.unlock({ name: 'default', with: { passphrase } })
const { page } = await openPage(browser, vault.launchLink())
page.on('crash', () => console.log('The page crashed.'))
await page.getByRole('navigation', { name: 'Screens' }).waitFor()
// Start on Home, as a user does.
await page.getByText(/in the vault/).waitFor()

const opened: number[] = []
for (let at = 0; at < 5; at++) {
  await page.keyboard.press('Control+1')
  await page.locator('.grid-row').first().waitFor({ state: 'detached' })
  opened.push(await measureFirstRows(page))
}
console.log(
  `first rows after ${opened.map((ms) => ms.toFixed(0)).join(', ')} ms (the screen opened five times)`,
)

const ms = Number(values.seconds) * 1000
for (const step of [120, 600])
  console.log(
    `scrolling the tokens, ${step} px a frame: ${formatResult(await measureScroll(page, ms, step))}`,
  )
const jumps = [0.5, 0.9, 0.1, 1, 0]
console.log(
  `rows after a jump: ${formatTimes(await measureEach(jumps, measureJump))} (half, 90 %, 10 %, end, start)`,
)
// Until the index of search terms is complete, a search reads the tokens one by one.
while ((await vault.owner.tokens.find({ find: {}, sort: 'newest', size: 1 })).building) await setTimeout(200)
const texts = ['4242', 'customer-1234', 'card', '/pci']
console.log(
  `results after the last key: ${formatTimes(await measureEach(texts, measureSearch))} (${texts.join(', ')})`,
)
await measureLargeToken()
for (const screen of ['requests', 'tokens'])
  console.log(`${screen}, 200 requests a second: ${formatResult(await measureLive(screen, ms))}`)
// Scroll an empty page too, because a slow machine drops frames even without Coffer.
const empty = await page.context().newPage()
await empty.setContent('<div role="grid" style="height:90vh;overflow:auto"><div style="height:9999999px">')
console.log(`scrolling an empty page: ${formatResult(await measureScroll(empty, ms, 120))}`)
console.log(
  `load of the machine: ${os
    .loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
)
browser.removeAllListeners('disconnected')
await browser.close()
await vault.close()
process.exit()

/** Milliseconds from the key press that opens the screen to the first painted rows. */
function measureFirstRows(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const started = performance.now()
        const checkRows = () => {
          if (document.querySelector('.grid-row:not(.grid-waiting) td')) {
            requestAnimationFrame(() => resolve(performance.now() - started))
          } else requestAnimationFrame(checkRows)
        }
        window.location.hash = '#/tokens'
        checkRows()
      }),
  )
}

async function measureEach<T>(
  values: readonly T[],
  measure: (value: T) => Promise<number>,
): Promise<number[]> {
  const times: number[] = []
  for (const value of values) times.push(await measure(value))
  return times
}

function formatTimes(times: readonly number[]): string {
  return `${times.map((ms) => ms.toFixed(0)).join(', ')} ms`
}

/** Milliseconds from a drag of the scrollbar to the painted rows at this part of the list. */
function measureJump(part: number): Promise<number> {
  return page.getByRole('grid').evaluate(
    ({ parentElement: box }, to) =>
      new Promise<number>((resolve) => {
        const started = performance.now()
        const checkRows = () => {
          const view = box?.getBoundingClientRect()
          const hit = view && document.elementFromPoint(view.x + 200, view.y + view.height / 2)
          if (hit?.closest('.grid-row:not(.grid-waiting)')) resolve(performance.now() - started)
          else requestAnimationFrame(checkRows)
        }
        box?.scrollTo(0, to * box.scrollHeight)
        // The rows of the previous place are painted once more.
        requestAnimationFrame(() => requestAnimationFrame(checkRows))
      }),
    part,
  )
}

/** Milliseconds from the last key of a search to its painted answer, which may have the same rows as the one before. */
async function measureSearch(text: string): Promise<number> {
  await page.getByRole('combobox', { name: /^Find by/ }).fill(text.slice(0, -1))
  await page.waitForTimeout(1500)
  const wanted = `"tokens.find","input":{"size":100,"find":{"text":${JSON.stringify(text)}}`
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes(wanted) ?? false,
  )
  const started = performance.now()
  await page.keyboard.press(text.slice(-1))
  await (await answered).finished()
  await page.evaluate(() => new Promise((paint) => requestAnimationFrame(() => requestAnimationFrame(paint))))
  return performance.now() - started
}

/** Prints how long a token of 2 MiB takes to open and to reveal. */
async function measureLargeToken(): Promise<void> {
  const { id } = await vault.owner.tokens.create({
    type: 'token',
    data: 'y'.repeat(2 * 1024 * 1024 - 2),
    mask: '{{ data }}',
  })
  await page.evaluate(() => {
    location.hash = '#/tokens'
  })
  await page.getByRole('row', { name: id }).waitFor()
  const session = await openWorkSession(page)
  const before = await readWork(session)
  const opened = performance.now()
  await page.getByRole('row', { name: id }).click()
  await page
    .getByRole('complementary', { name: 'Token' })
    .getByText(/y{100}/)
    .first()
    .waitFor()
  const revealed = performance.now()
  const between = await readWork(session)
  await page.keyboard.press('r')
  await page.getByRole('timer').waitFor()
  const ended = performance.now()
  const after = await readWork(session)
  const [open, reveal] = [between.all - before.all, after.all - between.all]
  console.log(
    `a token of 2 MiB: opened in ${(revealed - opened).toFixed(0)} ms (${(1000 * open).toFixed(0)} of the main thread), revealed in ${(ended - revealed).toFixed(0)} ms (${(1000 * reveal).toFixed(0)} of the main thread)`,
  )
}

/** Measures a list that is not scrolled while a program creates 100 tokens a second and reads 100. */
async function measureLive(screen: string, ms: number) {
  await page.evaluate((name) => {
    location.hash = `#/${name}`
  }, screen)
  await page.locator('.grid-row:not(.grid-waiting) td').first().waitFor()
  const state = await vault.owner.host.listenerOn({ port: 0 })
  if (state.state !== 'on') throw new Error('The listener is off.')
  const port = Number(new URL(state.url).port)
  const gets = buildGets(made.samples, made.keys.mask, port)
  const creates = buildCreates(made.keys, port)
  const requests = creates.flatMap((create, at) => [create, gets[at % gets.length] ?? create])
  const load: Load = { port, connections: 8, ms, per_second: 200, requests }
  const [measured, { per_second, failed }] = await Promise.all([
    measureScroll(page, ms, 0),
    askChild<LoadResult>(startModule('load.ts'), load),
  ])
  if (failed > 0) throw new Error(`${failed} requests failed.`)
  console.log(`${per_second.toFixed(0)} requests a second were answered`)
  return measured
}

function formatResult({
  frames,
  dropped,
  maxFrameMs,
  p95,
  rows,
  work,
  tasks,
}: Awaited<ReturnType<typeof measureScroll>>): string {
  const share = ((100 * dropped) / (frames + dropped)).toFixed(1)
  const each = Object.entries(work).map(
    ([name, seconds]) => `${name} ${((1000 * seconds) / frames).toFixed(2)}`,
  )
  return `${rows.toLocaleString('en')} rows, ${frames} frames, ${dropped} dropped (${share} %), 95 % took at most ${p95.toFixed(0)} ms, the longest ${maxFrameMs.toFixed(0)} ms; processor time, ms a frame: main thread ${each.join(', ')}, raster threads ${(tasks.rasterMs / frames).toFixed(2)}; tasks of the main thread that took over 50 ms of it: ${tasks.long}, the longest ${tasks.longestMs.toFixed(0)} ms`
}

async function openWorkSession(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

/** Seconds of processor time of the page's main thread, as Chromium counts them. */
async function readWork(session: CDPSession) {
  const { metrics } = await session.send('Performance.getMetrics')
  const getMetric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0
  return {
    all: getMetric('TaskDuration'),
    script: getMetric('ScriptDuration'),
    style: getMetric('RecalcStyleDuration'),
    layout: getMetric('LayoutDuration'),
  }
}

/** Scrolls like a fast mouse wheel. Counts late frames and measures the main thread's processor time. */
async function measureScroll(page: Page, ms: number, step: number) {
  const session = await openWorkSession(page)
  await browser.startTracing(page, { categories: ['toplevel'] })
  const before = await readWork(session)
  const frames = await scrollFrames(page, ms, step)
  const after = await readWork(session)
  const tasks = readTasks(await browser.stopTracing())
  const work = {
    all: after.all - before.all,
    script: after.script - before.script,
    style: after.style - before.style,
    layout: after.layout - before.layout,
  }
  return { ...frames, work, tasks }
}

type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** Reads the tasks of the page's main thread and raster threads from a trace: the page is the busiest one. */
function readTasks(trace: Buffer) {
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const mains = events
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => ({
      pid,
      times: events
        .filter(
          (each) => each.pid === pid && each.tid === tid && each.name === 'ThreadControllerImpl::RunTask',
        )
        .map(({ tdur = 0 }) => tdur / 1000),
    }))
    .map((main) => ({ ...main, ms: main.times.reduce((sum, each) => sum + each, 0) }))
  const page = mains.toSorted((a, b) => b.ms - a.ms)[0] ?? { pid: 0, times: [] }
  const onRaster = events.filter(({ pid, name }) => pid === page.pid && name === 'ThreadPool_RunTask')
  return {
    longestMs: Math.max(0, ...page.times),
    long: page.times.filter((each) => each > 50).length,
    rasterMs: onRaster.reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0),
  }
}

function scrollFrames(page: Page, ms: number, step: number) {
  const grid = page.getByRole('grid')
  return grid.evaluate(
    (element, { duration, step }) =>
      new Promise<{ frames: number; dropped: number; maxFrameMs: number; p95: number; rows: number }>(
        (resolve) => {
          const scroller = [element, ...element.querySelectorAll('*'), element.parentElement].find(
            (each) => each && each.scrollHeight > each.clientHeight + 100,
          )
          if (!scroller) throw new Error('nothing scrolls')
          const height = document.querySelector('.grid-row')?.getBoundingClientRect().height ?? 32
          const period = 1000 / 60
          const times: number[] = []
          let [frames, dropped, maxFrameMs] = [0, 0, 0]
          const started = performance.now()
          let last = started
          const countFrame = (now: number) => {
            const took = now - last
            last = now
            frames++
            times.push(took)
            dropped += Math.max(0, Math.round(took / period) - 1)
            maxFrameMs = Math.max(maxFrameMs, took)
            scroller.scrollTop += step
            if (now - started < duration) requestAnimationFrame(countFrame)
            else
              resolve({
                frames,
                dropped,
                maxFrameMs,
                p95: times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0,
                rows: Math.round(scroller.scrollTop / height),
              })
          }
          requestAnimationFrame(countFrame)
        },
      ),
    { duration: ms, step },
  )
}
