import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import manifest from '../package.json' with { type: 'json' }
import { sectionOf } from '../scripts/release-notes.mjs'
import { readFile, root } from './repository.ts'

type WorkflowStep = { uses?: string; run?: string; with?: Record<string, unknown> }
type WorkflowJob = {
  uses?: string
  needs?: string[]
  permissions?: Record<string, string>
  steps?: WorkflowStep[]
}
type Workflow = { permissions: Record<string, string>; jobs: Record<string, WorkflowJob> }

const folder = path.join('.github', 'workflows')

describe.each(fs.readdirSync(path.join(root, folder)))('the workflow %s', (file) => {
  const { permissions, jobs } = parse(readFile(path.join(folder, file))) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])

  test('pins actions by commit, and only the job that drafts a release can write', () => {
    const used = [...Object.values(jobs), ...steps].flatMap(({ uses }) => uses ?? [])
    for (const name of used.filter((each) => !each.startsWith('./'))) {
      expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
    }
    for (const name of used.filter((each) => each.startsWith('./'))) {
      expect([name, fs.existsSync(path.join(root, name))]).toEqual([name, true])
    }
    expect(permissions).toEqual({ contents: 'read' })
    const more = Object.entries(jobs).flatMap(([name, job]) =>
      job.permissions ? [[name, job.permissions]] : [],
    )
    expect(more).toEqual(
      file === 'release.yml'
        ? [['draft', { contents: 'write', 'id-token': 'write', attestations: 'write' }]]
        : [],
    )
  })

  test('calls only existing scripts, and passes no value of an event into a shell', () => {
    for (const { run = '' } of steps) {
      for (const [, script = ''] of run.matchAll(/\bnpm run ([\w:-]+)/g)) {
        expect([script, Object.hasOwn(manifest.scripts, script)]).toEqual([script, true])
      }
      for (const [, script = ''] of run.matchAll(/\b(?:node|bash) ([\w./-]+)/g)) {
        if (!script.startsWith('node_modules/'))
          expect([script, fs.existsSync(path.join(root, script))]).toEqual([script, true])
      }
      expect(run).not.toMatch(/\$\{\{\s*(github|inputs)\b/)
    }
  })
})

test('a release needs the tests and every package, and is created as a draft', () => {
  const { jobs } = parse(readFile(path.join(folder, 'release.yml'))) as Workflow
  const { draft, ...before } = jobs
  expect(draft?.needs?.toSorted()).toEqual(Object.keys(before).sort())
  expect(draft?.steps?.some(({ run }) => run?.includes('gh release create') && run.includes('--draft'))).toBe(
    true,
  )
})

describe('the changelog', () => {
  const changelog = readFile('CHANGELOG.md')

  test('has a dated section for this version, which becomes its release notes', () => {
    const script = path.join(root, 'scripts', 'release-notes.mjs')
    const printed = spawnSync(process.execPath, [script, `v${manifest.version}`], { encoding: 'utf8' })
    expect([printed.status, printed.stderr]).toEqual([0, ''])
    expect(printed.stdout.trim()).toBe(sectionOf(changelog, manifest.version))
    expect(printed.stdout).toMatch(/^- /m)
    expect(printed.stdout).not.toMatch(/^## /m)
    const other = spawnSync(process.execPath, [script, 'v9.9.9'], { encoding: 'utf8' })
    expect([other.status, other.stdout]).toEqual([1, ''])
    expect(other.stderr).toContain(`not v${manifest.version}`)
  })

  test('is split into sections by version, except those without a date', () => {
    const text =
      '# Changelog\n\n## Unreleased\n\n- c\n\n## 1.10.0 - 2026-02-01\n\n- b\n\n### Fixed\n\n- b2\n\n## 1.1.0 - 2026-01-01\n\n- a\n'
    expect(sectionOf(text, '1.10.0')).toBe('- b\n\n### Fixed\n\n- b2')
    expect(sectionOf(text, '1.1.0')).toBe('- a')
    expect(sectionOf(text, '1.1')).toBeUndefined()
    expect(sectionOf(text, 'Unreleased')).toBeUndefined()
  })

  test('lists the versions newest first', () => {
    const dates = [...changelog.matchAll(/^## \d+\.\d+\.\d+ - (\d{4}-\d\d-\d\d)$/gm)].map(
      ([, date = '']) => date,
    )
    expect(dates.length).toBeGreaterThan(1)
    expect(dates).toEqual(dates.toSorted().reverse())
  })
})

test('the guides and the lockfile have the version of package.json', () => {
  expect(readFile('docs/ci-recipe.md').match(/coffer-\d+\.\d+\.\d+\.tgz/g)).toEqual(
    Array(3).fill(`coffer-${manifest.version}.tgz`),
  )
  const lock = JSON.parse(readFile('package-lock.json')) as {
    version: string
    packages: { '': { version: string } }
  }
  expect([lock.version, lock.packages[''].version]).toEqual([manifest.version, manifest.version])
})
