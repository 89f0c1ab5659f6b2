import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = path.join(import.meta.dirname, '..', '..', 'out', 'renderer')

test('the window’s first screen loads at most 200 kB (gzip), and no schemas', () => {
  const page = fs.readFileSync(path.join(folder, 'index.html'), 'utf8')
  const files = [...page.matchAll(/assets\/[^"]+\.(?:js|css)/g)].map(([file]) =>
    fs.readFileSync(path.join(folder, file)),
  )
  const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThanOrEqual(200_000)
  expect(files.filter((file) => file.includes('ZodError'))).toEqual([])
})
