// `npm run test:file -- PATH`: runs Vitest, and fails if no test ran. Takes every option of Vitest.
import fs from 'node:fs'
import path from 'node:path'
import { parseCLI, startVitest } from 'vitest/node'
import { root } from './install.mjs'
import { explainNoTest } from './no-test.ts'

const { filter, options } = parseCLI(['vitest', 'run', '--configLoader', 'native', ...process.argv.slice(2)])
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
const modules = vitest.state.getTestModules()
const tests = modules
  .flatMap((module) => [...module.children.allTests()])
  .map((test) => ({ name: test.fullName, tags: test.tags, state: test.result().state }))
const reason = explainNoTest(tests, options.testNamePattern)
if (reason !== null && modules.every((module) => module.state() !== 'failed')) report(reason)
await vitest.exit()

function report(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

function fail(sentence) {
  report(sentence)
  process.exit()
}
