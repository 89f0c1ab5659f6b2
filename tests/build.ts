import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { build as bundle } from 'vite'

const root = path.join(import.meta.dirname, '..')

/** Builds what is out of date, once before all tests: they run the built program and window. */
export default async function build(): Promise<void> {
  const script = path.join(root, 'scripts', 'build.mjs')
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] })
  // Hundreds of children run these steps; in one file they start in half the time.
  await bundle({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      outDir: 'out/tests',
      target: 'node24',
      rollupOptions: {
        input: {
          steps: 'tests/host/steps.ts',
          'background-worker': 'electron/host/work/background-worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true, external: ['@node-rs/argon2', 'better-sqlite3', 'keytar'] },
  })
}
