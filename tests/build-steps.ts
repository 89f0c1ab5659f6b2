import fs from 'node:fs'
import path from 'node:path'
import { build as bundle } from 'vite'

const root = path.join(import.meta.dirname, '..')
const sources = ['{electron,shared,tests}/**', 'package.json', 'package-lock.json']

/**
 * Bundles the programs that tests start hundreds of times, because a bundle starts in a third of the time. Does nothing
 * if no source is newer than the bundles.
 */
export default async function buildSteps(): Promise<void> {
  const built = path.join(root, 'out', 'tests', '.built')
  const since = fs.statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // The programs import no test files, so changed tests need no new bundle.
  const isNewer = (file: string) =>
    !/\.test\.tsx?$/.test(file) && fs.statSync(path.join(root, file)).mtimeMs > since
  if (!fs.globSync(sources, { cwd: root }).some(isNewer)) return
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
          'fault-child': 'tests/host/fault-child.ts',
          'bulk-child': 'tests/host/bulk-child.ts',
          'hold-lock': 'tests/host/hold-lock.ts',
          'crash-child': 'tests/soak/crash-child.ts',
          'damaged-logs-child': 'tests/soak/damaged-logs-child.ts',
          'power-loss-child': 'tests/soak/power-loss/session-child.ts',
          'background-worker': 'electron/host/jobs/background-worker.ts',
          'checkpoint-worker': 'electron/engine/db/checkpoint-worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
    ssr: { noExternal: true, external: ['@node-rs/argon2', 'better-sqlite3', 'keytar'] },
  })
  fs.writeFileSync(built, '')
}
