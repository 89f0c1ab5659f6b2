import { defineConfig } from 'vite'

// The command line in a few files, so that it starts in a third of the time: `npm run build` writes out/cli.
export default defineConfig({
  build: {
    ssr: true,
    outDir: 'out/cli',
    // A package runs under Node 22 too, which knows no `await using`.
    target: 'node22',
    rollupOptions: {
      input: {
        coffer: './electron/cli/coffer.ts',
        testing: './electron/testing/start-coffer.ts',
        'background-worker': './electron/host/work/background-worker.ts',
      },
      // Flat: files that are found beside the one that asks for them stay beside it.
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: {
    noExternal: true,
    // What brings a compiled part of its own stays where it is installed.
    external: ['@node-rs/argon2', 'better-sqlite3', 'keytar'],
  },
})
