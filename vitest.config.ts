import { defineConfig } from 'vitest/config'

/** What needs neither the built program nor a browser. */
const quick = 'tests/{engine,http,renderer}/**/*.test.ts'

export default defineConfig({
  test: {
    pool: 'forks',
    // Vitest would leave one core idle, which on two is half the machine.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'quick', include: [quick] } },
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
