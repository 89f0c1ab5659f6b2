import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'

// Bundles what the processes of reactors may read: the runner, and the clients that `runner/clients.ts` names.
// `npm run build` writes out/reactors, with nothing else in it.
export default defineConfig({
  plugins: [notePackages('reactors')],
  build: {
    ssr: true,
    outDir: 'out/reactors',
    target: 'node22',
    minify: true,
    rollupOptions: {
      input: {
        main: './electron/code-runner/runner/main.ts',
        'basis-theory-js': '@basis-theory/basis-theory-js',
        'node-sdk': '@basis-theory/node-sdk',
        'node-sdk-2': 'basis-theory-node-sdk-2',
      },
      // CommonJS, so that code can require them.
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        // SECURITY: as in its source. Code reads the functions of its callers, and their arguments, where they are sloppy.
        banner: ({ name }) => (name === 'main' ? '"use strict";' : ''),
      },
    },
  },
  ssr: { noExternal: true },
})
