import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { explainNoTest } from '../scripts/no-test.ts'
import { root } from './repository.ts'

/** Runs `npm run test:file`. Returns its exit code and the last line that it prints to stderr. */
function runTestFile(...words: string[]) {
  const script = path.join(root, 'scripts', 'test-file.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], { cwd: root, encoding: 'utf8' })
  return [status, stderr.trimEnd().split('\n').at(-1)]
}

test('npm run test:file fails if it runs no test', () => {
  expect(runTestFile()).toEqual([1, expect.stringMatching(/^Name a test file: npm run test:file -- tests\//)])
  expect(runTestFile('tests/none.test.ts')).toEqual([1, 'No test file matches tests/none.test.ts.'])
  expect(runTestFile('tests/engine/rotate-data-key.test.ts', '-t', 'X-24')).toEqual([
    1,
    'No test ran, because only the thorough tests include these. Add --mode thorough.',
  ])
  expect(runTestFile('tests/renderer/milliseconds.test.ts')).toEqual([0, ''])
})

test('npm run test:file says why no test ran', () => {
  const skipped = { name: 'a suite > X-24 a test', tags: ['thorough'], state: 'skipped' }
  const untagged = { ...skipped, tags: [] }
  const onlyThorough = expect.stringContaining('Add --mode thorough')
  expect(explainNoTest([skipped, untagged], 'suite X-24')).toEqual(onlyThorough)
  expect(explainNoTest([skipped], undefined)).toEqual(onlyThorough)
  expect(explainNoTest([skipped], 'no such test')).toBe(
    'No test ran, because none matches -t "no such test".',
  )
  expect(explainNoTest([untagged], undefined)).toBe('No test ran.')
  expect(explainNoTest([untagged, { ...untagged, state: 'failed' }], 'X-24')).toBeNull()
})
