import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from './repository.ts'

/** Runs `npm run test:file`. Returns its exit code and the last line that it prints to stderr. */
function runTestFile(...words: string[]) {
  const script = path.join(root, 'scripts', 'test-file.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], { cwd: root, encoding: 'utf8' })
  return [status, stderr.trimEnd().split('\n').at(-1)]
}

const small = 'tests/renderer/milliseconds.test.ts'

test('npm run test:file fails if it runs no test', () => {
  expect(runTestFile()).toEqual([1, expect.stringMatching(/^Name a test file: npm run test:file -- tests\//)])
  expect(runTestFile('tests/none.test.ts')).toEqual([1, 'No test file matches tests/none.test.ts.'])
  expect(runTestFile(small, '-t', 'no such test')).toEqual([
    1,
    'No test ran, because none matches -t "no such test".',
  ])
  expect(runTestFile('tests/engine/rotate-data-key.test.ts', '-t', 'X-24')).toEqual([
    1,
    'No test ran, because only the thorough tests include these. Add --mode thorough.',
  ])
  expect(runTestFile(small)).toEqual([0, ''])
})
