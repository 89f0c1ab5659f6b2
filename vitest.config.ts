import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/longest-first.ts'
import { developers, homes, temporaries } from './tests/temporaries.ts'

/** Tests that need neither the built program nor a browser. */
const quick = 'tests/{code-runner,engine,http,outbound,renderer}/**/*.test.ts'
/** Tests that run in a browser, which all files of a worker share. */
const window = 'tests/e2e/**/*.test.ts'
/** A test that replaces a module. It needs its own process, because another one may already have loaded the module. */
const alone = 'tests/host/keychain-lies.test.ts'

const preloaded = ['quick-argon2id.cjs', 'not-at-home.cjs'].map(
  (name) => `--require=${JSON.stringify(path.join(import.meta.dirname, 'tests', name))}`,
)

/** Long tests of behaviour that shorter tests check too. Only `npm run test:thorough` runs them. */
const tags = [{ name: 'thorough', description: 'left out of `npm test`' }]

export default defineConfig(({ mode }) => {
  const isThorough = mode === 'thorough'
  // Vaults are in memory, because waiting for the disk would take longer than the tests. Thorough tests use the disk.
  const folder = isThorough ? null : temporaries
  return {
    test: {
      tags,
      ...(!isThorough && { tagsFilter: ['!thorough'] }),
      pool: 'forks',
      globalSetup: 'tests/temporaries.ts',
      setupFiles: 'tests/own-home.ts',
      // Files share processes, because otherwise each file would load the engine and the host again.
      isolate: false,
      // The preloads lower the cost of a passphrase, which is a second of four threads, because tests try hundreds.
      env: {
        // Added to those of a debugger, which attaches to workers through this variable.
        NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', ...preloaded].join(' ').trim(),
        // Half of the start of a process is compiling its program.
        NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules', '.cache', 'compiled'),
        HOMES_OF_TESTS: homes,
        DATA_FOLDERS_OF_THE_DEVELOPER: developers,
        ...(isThorough && { COFFER_TESTS: 'thorough' }),
        ...(folder !== null && { TMPDIR: folder }),
      },
      // A larger young generation needs fewer garbage collections.
      execArgv: ['--max-semi-space-size=32'],
      // Transformed sources are cached across runs, because each project transforms all of them.
      fsModuleCache: true,
      // One more worker than cores, because tests of complete programs sometimes wait.
      maxWorkers: os.availableParallelism() + 1,
      sequence: { sequencer: LongestFirst },
      // Long enough for a busy machine, so that only a test that hangs fails.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 100_000 } },
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
