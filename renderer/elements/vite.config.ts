import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'

// Bundles the scripts that run in other sites' pages: `--mode client` builds the page's script, `--mode
// frame` the frames' script. `npm run build` writes out/elements.
export default defineConfig(({ mode }) => {
  const isClient = mode === 'client'
  return {
    root: import.meta.dirname,
    publicDir: false,
    plugins: [notePackages(`elements-${mode}`)],
    build: {
      outDir: `../../out/elements/${mode}`,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: {
        input: isClient ? './client/main.ts' : './main.ts',
        output: {
          // A classic script, so that it runs before the page's modules.
          format: 'iife',
          entryFileNames: isClient ? 'client.js' : 'frame-[hash].js',
        },
      },
    },
  }
})
