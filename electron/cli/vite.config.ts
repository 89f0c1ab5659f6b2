import { defineConfig } from 'vite'
import { builtinModules } from './builtin-modules.ts'

// Bundles the command line into a few files, so that it starts in a third of the time. `npm run build` writes
// out/cli.
export default defineConfig({
  plugins: [builtinModules()],
  build: {
    ssr: true,
    outDir: 'out/cli',
    // The package also supports Node 22, which has no `await using`.
    target: 'node22',
    rollupOptions: {
      input: {
        coffer: './electron/cli/coffer.ts',
        testing: './electron/testing/start-coffer.ts',
        'background-worker': './electron/host/work/background-worker.ts',
        'checkpoint-worker': './electron/engine/db/checkpoint-worker.ts',
      },
      // Flat, so that files located relative to their importer stay beside it.
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
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
