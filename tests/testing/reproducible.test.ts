import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../repository.ts'

/** Clones the repository into a folder, and returns the packages that are built there, by name and SHA-256. */
function buildPackages(folder: string, timeZone: string): Record<string, string> {
  execFileSync('git', ['clone', '--quiet', root, folder])
  // Hard links: the bundles name a package by its path from the repository.
  execFileSync('cp', ['-al', path.join(root, 'node_modules'), folder])
  const env = { ...process.env, TZ: timeZone }
  execFileSync(process.execPath, ['scripts/pack-cli.mjs'], { cwd: folder, env, stdio: 'ignore' })
  const dist = path.join(folder, 'dist')
  const hashFile = (file: string) => createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  return Object.fromEntries(fs.readdirSync(dist).map((name) => [name, hashFile(path.join(dist, name))]))
}

test.runIf(process.platform === 'linux')(
  'two builds of the packages in other folders and time zones are the same bytes',
  { tags: 'thorough', timeout: 600_000 },
  () => {
    // On the same disk as the packages, which are linked.
    const folder = fs.mkdtempSync(path.join(root, 'out', 'reproducible-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true }))
    const packages = buildPackages(path.join(folder, 'one'), 'UTC')
    expect(Object.keys(packages)).toHaveLength(2)
    expect(buildPackages(path.join(folder, 'other', 'place'), 'Asia/Tokyo')).toEqual(packages)
  },
)
