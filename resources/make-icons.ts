// Draws the icons of all sizes from their SVG: node resources/make-icons.ts
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'

const folder = import.meta.dirname
const drawings: [from: string, to: string, size: number][] = [
  ...[16, 32, 48, 64, 128, 256, 512].map((size): [string, string, number] => [
    'icon.svg',
    `icons/${size}x${size}.png`,
    size,
  ]),
  ['icon.svg', 'icon.png', 1024],
  ['icon.svg', 'tray.png', 32],
  ['tray-template.svg', 'trayTemplate.png', 16],
  ['tray-template.svg', 'trayTemplate@2x.png', 32],
]

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const page = await browser.newPage()
fs.mkdirSync(path.join(folder, 'icons'), { recursive: true })
for (const [from, to, size] of drawings) {
  const svg = fs
    .readFileSync(path.join(folder, from), 'utf8')
    .replace('<svg ', `<svg width="${size}" height="${size}" `)
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
  await page.screenshot({ path: path.join(folder, to), omitBackground: true })
}
await browser.close()
