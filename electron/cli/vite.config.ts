import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'
import { lightenFastify, oneByte, replaceBuiltinModules } from './bundle-plugins.ts'

/**
 * The chunks that a start loads, in order. Each group takes what its files import, unless an earlier group has it
 * already. A start then reads a dozen files instead of eighty. Modules in no group are split by their importers.
 */
const groups = [
  // Separate, because it is loaded before the compile cache is enabled.
  { name: 'home', test: /\/host\/files\/home-folder\.ts$/ },
  // SECURITY: the checkpoint thread loads only this and the database, not the rest of the program.
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

// Bundles the CLI into a few files, so that it starts in a third of the time. `npm run build` writes out/cli.
export default defineConfig({
  plugins: [replaceBuiltinModules(), lightenFastify(), oneByte(), notePackages('cli')],
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
        'watchdog-worker': './electron/host/jobs/watchdog-worker.ts',
      },
      // A file that imports one name from the engine must not load all of it.
      treeshake: { moduleSideEffects: [{ test: /\/engine\/index\.ts$/, sideEffects: false }] },
      // Flat, because some files are located relative to their importer.
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
