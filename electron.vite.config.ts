import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { createClassName } from './scripts/class-name.ts'
import { mantineStyles } from './scripts/mantine-styles.ts'
import { notePackages } from './scripts/third-party-notices.mjs'

// Entries begin with ./ because electron-vite would read `electron/…` as the package of that name.
export default defineConfig({
  main: {
    plugins: [notePackages('main')],
    build: {
      rollupOptions: {
        input: {
          index: './electron/main/index.ts',
          'background-worker': './electron/host/jobs/background-worker.ts',
          'checkpoint-worker': './electron/engine/db/checkpoint-worker.ts',
          'watchdog-worker': './electron/host/jobs/watchdog-worker.ts',
        },
        // A file that imports one name from the engine must not load all of it.
        treeshake: { moduleSideEffects: [{ test: /\/engine\/index\.ts$/, sideEffects: false }] },
        // All files are in one folder, because some are located relative to the file that uses them.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [notePackages('preload')],
    build: {
      // SECURITY: a sandboxed preload is one CommonJS file and can require nothing but Electron.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: './electron/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: './renderer',
    base: './',
    plugins: [
      react(),
      mantineStyles(new URL('./renderer/app/mantine.css', import.meta.url)),
      notePackages('renderer'),
    ],
    css: { modules: { generateScopedName: createClassName } },
    // electron-vite does not minify by default. Minified code is a third smaller, so the first screen appears sooner.
    build: {
      minify: true,
      rollupOptions: {
        input: './renderer/index.html',
        // Without groups, opening the window takes a hundred requests for small files. Only what edits code loads the editor.
        output: {
          codeSplitting: {
            groups: [
              { name: 'first', tags: ['$initial'], priority: 1 },
              { name: 'shared', minShareCount: 3, test: /^(?!.*(codemirror|lezer|text.editor))/ },
            ],
          },
        },
      },
    },
  },
})
