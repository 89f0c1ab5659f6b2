import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** What needs neither the built program nor a browser. */
const quick = 'tests/{engine,http,renderer}/**/*.test.ts'

const quickArgon2id = path.join(import.meta.dirname, 'tests', 'quick-argon2id.cjs')

export default defineConfig({
  test: {
    pool: 'forks',
    // A passphrase costs a second of four threads, and tests try hundreds.
    execArgv: ['--require', quickArgon2id],
    env: { NODE_OPTIONS: `--require=${JSON.stringify(quickArgon2id)}` },
    // Vitest would leave one core idle, which on two is half the machine.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'quick', include: [quick], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: [quick],
          globalSetup: 'tests/build.ts',
        },
      },
    ],
  },
})
