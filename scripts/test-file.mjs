// `npm run test:file -- PATH`: runs Vitest, and fails if no test ran. Takes every option of Vitest.
import fs from 'node:fs'
import path from 'node:path'
import { parseCLI, startVitest } from 'vitest/node'
import { root } from './install.mjs'

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
if (filter.length === 0) {
  fail(
    'Name a test file: npm run test:file -- tests/engine/tokens.test.ts, and -t "a test" for one of its tests.',
  )
}
const files = fs.globSync('tests/**/*.test.ts', { cwd: root }).map((file) => path.join(root, file))
for (const each of filter) {
  // Vitest also takes a line, as in `tokens.test.ts:12`.
  const name = path.normalize(each.replace(/:\d+$/, ''))
  if (!files.some((file) => file.includes(name))) fail(`No test file matches ${each}.`)
}

const vitest = await startVitest(filter, options)
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
const hasFailed = vitest.state.getTestModules().some((module) => module.state() === 'failed')
if (!hasFailed && tests.every((test) => test.result().state === 'skipped')) {
  // Vitest matches the names of suites and test, joined by spaces.
  const pattern = new RegExp(options.testNamePattern ?? '')
  const isNamed = ({ fullName }) => pattern.test(fullName.replaceAll(' > ', ' '))
  const isThorough = tests.some((test) => isNamed(test) && test.tags.includes('thorough'))
  report(
    isThorough
      ? 'No test ran, because only the thorough tests include these. Add --mode thorough.'
      : `No test ran${options.testNamePattern ? `, because none matches -t "${options.testNamePattern}"` : ''}.`,
  )
}
await vitest.exit()

function report(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

function fail(sentence) {
  report(sentence)
  process.exit()
}
