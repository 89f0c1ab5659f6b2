import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../repository.ts'
import { createTempFolder } from '../vault.ts'

/** Clones the repository into a folder, and returns the packages that are built there, by name and SHA-256. */
function buildPackages(folder: string, timeZone: string): Record<string, string> {
  execFileSync('git', ['clone', '--quiet', root, folder])
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const env = { ...process.env, TZ: timeZone }
  execFileSync(process.execPath, ['scripts/pack-cli.mjs'], { cwd: folder, env, stdio: 'ignore' })
  const dist = path.join(folder, 'dist')
  const hash = (file: string) => createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  return Object.fromEntries(fs.readdirSync(dist).map((name) => [name, hash(path.join(dist, name))]))
}

test('two builds of the packages in other folders and time zones are the same bytes', {
  tags: 'thorough',
  timeout: 600_000,
}, () => {
  const folder = createTempFolder()
  const packages = buildPackages(path.join(folder, 'one'), 'UTC')
  expect(Object.keys(packages)).toHaveLength(2)
  expect(buildPackages(path.join(folder, 'other', 'place'), 'Asia/Tokyo')).toEqual(packages)
})
