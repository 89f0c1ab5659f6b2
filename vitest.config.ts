import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/longest-first.ts'
import { developers, homes, temporaries } from './tests/temporaries.ts'

/** What needs neither the built program nor a browser. */
const quick = 'tests/{engine,http,outbound,reactors,renderer}/**/*.test.ts'
/** What runs in a browser, one for all files of a worker. */
const window = 'tests/e2e/**/*.test.ts'
/** What replaces a module, which a process that has loaded it would not notice. */
const alone = 'tests/host/keychain-lies.test.ts'

const preloaded = ['quick-argon2id.cjs', 'not-at-home.cjs'].map(
  (name) => `--require=${JSON.stringify(path.join(import.meta.dirname, 'tests', name))}`,
)

/** What takes long and guards what a shorter test guards too; `npm run test:thorough` runs it. */
const tags = [{ name: 'thorough', description: 'left out of `npm test`' }]

export default defineConfig(({ mode }) => {
  const isThorough = mode === 'thorough'
  // Waiting for the disk took longer than the tests themselves. The thorough tests keep their vaults on it.
  const folder = isThorough ? null : temporaries
  return {
    test: {
      tags,
      ...(!isThorough && { tagsFilter: ['!thorough'] }),
      pool: 'forks',
      globalSetup: 'tests/temporaries.ts',
      setupFiles: 'tests/own-home.ts',
      // A process for each file would load the engine and the host sixty times.
      isolate: false,
      // A passphrase costs a second of four threads, and tests try hundreds.
      env: {
        // Added to those of a debugger, which attaches to workers through this variable.
        NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', ...preloaded].join(' ').trim(),
        HOMES_OF_TESTS: homes,
        DATA_FOLDERS_OF_THE_DEVELOPER: developers,
        ...(isThorough && { COFFER_TESTS: 'thorough' }),
        ...(folder !== null && { TMPDIR: folder }),
      },
      // Fewer collections of what a test leaves behind.
      execArgv: ['--max-semi-space-size=32'],
      // What was transformed is kept from run to run, because each project transforms all of its sources.
      fsModuleCache: true,
      // One more than there are cores: tests of whole programs wait now and then.
      maxWorkers: os.availableParallelism() + 1,
      sequence: { sequencer: LongestFirst },
      // A test that hangs fails; one on a machine with other things to do does not.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      projects: [
        {
          extends: true,
          test: {
            name: 'quick',
            include: [quick],
            setupFiles: ['tests/bundled-worker.ts', 'tests/built-runner.ts'],
          },
        },
        {
          extends: true,
          test: {
            name: 'whole',
            include: ['tests/**/*.test.ts'],
            exclude: [quick, window, alone],
            globalSetup: ['tests/build.ts', 'tests/build-steps.ts'],
            setupFiles: ['tests/bundled-worker.ts', 'tests/built-runner.ts'],
          },
        },
        {
          extends: true,
          test: {
            name: 'window',
            include: [window],
            globalSetup: 'tests/build.ts',
            setupFiles: ['tests/bundled-worker.ts', 'tests/built-runner.ts'],
          },
        },
        { extends: true, test: { name: 'alone', include: [alone], isolate: true } },
      ],
    },
  }
})
