import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { fillVault, makeVault, passphrase } from '../bench/vault.ts'
import { getChromiumOptions } from './chromium.ts'
import { openPage, startWindow } from './start-window.ts'

const help = `npm run million -- [--tokens 1000000] [--seconds 10]

Opens a vault of many tokens in the window: how long the first rows take, how many frames scrolling drops, and how
much processor time its main thread takes for a frame.`

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
const vault = await startWindow(dataDir)
await vault.owner.host.unlock({ name: 'default', with: { passphrase } })
const { page } = await openPage(browser, vault.launchLink())
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
console.log(`scrolling the tokens: ${formatResult(await measureScroll(page, ms))}`)
// Scroll an empty page too, because a slow machine drops frames even without Coffer.
const empty = await page.context().newPage()
await empty.setContent('<div role="grid" style="height:90vh;overflow:auto"><div style="height:9999999px">')
console.log(`scrolling an empty page: ${formatResult(await measureScroll(empty, ms))}`)
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

function formatResult({
  frames,
  dropped,
  maxFrameMs,
  rows,
  work,
}: Awaited<ReturnType<typeof measureScroll>>): string {
  const share = ((100 * dropped) / (frames + dropped)).toFixed(1)
  const each = Object.entries(work).map(
    ([name, seconds]) => `${name} ${((1000 * seconds) / frames).toFixed(2)}`,
  )
  return `${rows.toLocaleString('en')} rows, ${frames} frames, ${dropped} dropped (${share} %), the longest took ${maxFrameMs.toFixed(0)} ms; main thread, ms a frame: ${each.join(', ')}`
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
async function measureScroll(page: Page, ms: number) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await readWork(session)
  const frames = await scrollFrames(page, ms)
  const after = await readWork(session)
  const work = {
    all: after.all - before.all,
    script: after.script - before.script,
    style: after.style - before.style,
    layout: after.layout - before.layout,
  }
  return { ...frames, work }
}

function scrollFrames(page: Page, ms: number) {
  const grid = page.getByRole('grid')
  return grid.evaluate(
    (element, duration) =>
      new Promise<{ frames: number; dropped: number; maxFrameMs: number; rows: number }>((resolve) => {
        const scroller = [element, ...element.querySelectorAll('*'), element.parentElement].find(
          (each) => each && each.scrollHeight > each.clientHeight + 100,
        )
        if (!scroller) throw new Error('nothing scrolls')
        const height = document.querySelector('.grid-row')?.getBoundingClientRect().height ?? 32
        const period = 1000 / 60
        let [frames, dropped, maxFrameMs] = [0, 0, 0]
        const started = performance.now()
        let last = started
        const countFrame = (now: number) => {
          const took = now - last
          last = now
          frames++
          dropped += Math.max(0, Math.round(took / period) - 1)
          maxFrameMs = Math.max(maxFrameMs, took)
          scroller.scrollTop += 120
          if (now - started < duration) requestAnimationFrame(countFrame)
          else resolve({ frames, dropped, maxFrameMs, rows: Math.round(scroller.scrollTop / height) })
        }
        requestAnimationFrame(countFrame)
      }),
    ms,
  )
}
