import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'
import { builtinModules } from './builtin-modules.ts'
import { lightFastify } from './light-fastify.ts'
import { oneByte } from './one-byte.ts'

/**
 * What a start loads, in the order of its needs: each group takes what its files import, unless a group before it has
 * that already. A start then reads a dozen files instead of eighty. What no group takes is split by who imports it.
 */
const groups = [
  // Loaded before code is kept compiled, so alone.
  { name: 'home', test: /\/host\/files\/home-folder\.ts$/ },
  // SECURITY: the thread that moves the log needs no more of the program than this and the database.
  { name: 'errors', test: /\/engine\/db\/storage-error\.ts$/ },
  { name: 'database', test: /\/engine\/db\/open\.ts$/ },
  { name: 'program', test: /\/cli\/(run-program|terminal\/broken-output)\.ts$/ },
  { name: 'key', test: /\/cli\/terminal\/key-derivation\.ts$/ },
  {
    name: 'schemas',
    test: /\/(host\/files\/member-location|shared\/(destinations|safe-json|validation|schemas\/fault))\.ts$/,
  },
  { name: 'incidents', test: /\/host\/incidents\/incidents\.ts$/ },
  { name: 'background', test: /\/host\/jobs\/background-jobs\.ts$/ },
  { name: 'engine', test: /\/engine\/engine\.ts$/ },
  { name: 'server', test: /\/cli\/actions\/serve\.ts$/ },
  { name: 'listener', test: /\/http\/listener\.ts$/ },
].map((group, place, all) => ({ ...group, priority: all.length - place }))

// Bundles the command line into a few files, so that it starts in a third of the time. `npm run build` writes
// out/cli.
export default defineConfig({
  plugins: [builtinModules(), lightFastify(), oneByte(), notePackages('cli')],
  build: {
    ssr: true,
    outDir: 'out/cli',
    // The package also supports Node 22, which has no `await using`.
    target: 'node22',
    rollupOptions: {
      input: {
        coffer: './electron/cli/coffer.ts',
        testing: './electron/testing/start-coffer.ts',
        'background-worker': './electron/host/jobs/background-worker.ts',
        'checkpoint-worker': './electron/engine/db/checkpoint-worker.ts',
      },
      // Flat, so that files located relative to their importer stay beside it.
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: { groups },
      },
    },
  },
  ssr: {
    noExternal: true,
    external: [
      // Packages with native binaries stay where they are installed.
      ...['@node-rs/argon2', 'better-sqlite3', 'keytar'],
      // Never loaded: the listener has no JSON schemas for Fastify to compile.
      ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
    ],
  },
})
