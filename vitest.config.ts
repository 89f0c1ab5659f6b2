import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/longest-first.ts'

/** What needs neither the built program nor a browser. */
const quick = 'tests/{engine,http,renderer}/**/*.test.ts'
/** What runs in a browser, one for all files of a worker. */
const window = 'tests/e2e/**/*.test.ts'

const quickArgon2id = path.join(import.meta.dirname, 'tests', 'quick-argon2id.cjs')

export default defineConfig({
  test: {
    pool: 'forks',
    // A passphrase costs a second of four threads, and tests try hundreds.
    env: { NODE_OPTIONS: `--require=${JSON.stringify(quickArgon2id)}` },
    // Vitest would leave one core idle, which on two is half the machine.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'quick', include: [quick], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: [quick, window],
          globalSetup: 'tests/build.ts',
        },
      },
      {
        extends: true,
        test: { name: 'window', include: [window], isolate: false, globalSetup: 'tests/build.ts' },
      },
    ],
  },
})
