import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { mantineStyles } from './scripts/mantine-styles.ts'
import { notePackages } from './scripts/third-party-notices.mjs'

// Entries begin with ./ because electron-vite takes `electron/…` for the package of that name.
export default defineConfig({
  main: {
    plugins: [notePackages('main')],
    build: {
      rollupOptions: {
        input: {
          index: './electron/main/index.ts',
          'background-worker': './electron/host/jobs/background-worker.ts',
          'checkpoint-worker': './electron/engine/db/checkpoint-worker.ts',
        },
        // Flat: files that are found beside the one that asks for them stay beside it.
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
    // electron-vite leaves it out unless it is asked for: a third less to read before the first screen.
    build: { minify: true, rollupOptions: { input: './renderer/index.html' } },
  },
})
