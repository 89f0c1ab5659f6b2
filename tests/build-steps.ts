import path from 'node:path'
import { build as bundle } from 'vite'

/** Bundles the programs that hundreds of children of tests run: in one file they start in a third of the time. */
export default async function buildSteps(): Promise<void> {
  await bundle({
    root: path.join(import.meta.dirname, '..'),
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      outDir: 'out/tests',
      target: 'node24',
      rollupOptions: {
        input: {
          steps: 'tests/host/steps.ts',
          'fault-child': 'tests/host/fault-child.ts',
          'bulk-child': 'tests/host/bulk-child.ts',
          'crash-child': 'tests/soak/crash-child.ts',
          'damaged-logs-child': 'tests/soak/damaged-logs-child.ts',
          'background-worker': 'electron/host/work/background-worker.ts',
          'checkpoint-worker': 'electron/engine/db/checkpoint-worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true, external: ['@node-rs/argon2', 'better-sqlite3', 'keytar'] },
  })
}
