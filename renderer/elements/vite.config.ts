import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'

/** The scripts for pages. Every other mode builds the script of the frames. */
const pageScripts: Readonly<Record<string, string>> = {
  client: './client/main.ts',
  'three-ds': './three-ds/main.ts',
}

// Bundles the scripts that run in other sites' pages: `--mode client` builds the page's script for Elements, `--mode
// three-ds` the one for 3D Secure, `--mode frame` the frames' script. `npm run build` writes out/elements.
export default defineConfig(({ mode }) => {
  const pageScript = pageScripts[mode]
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
        input: pageScript ?? './main.ts',
        // A classic script, so that it runs before the page's modules.
        output: { format: 'iife', entryFileNames: pageScript ? `${mode}.js` : 'frame-[hash].js' },
      },
    },
  }
})
