import { defineConfig } from 'vite'
import { notePackages } from '../../scripts/third-party-notices.mjs'

// Bundles the files that runner processes may read: the runner and the clients listed in `runner/clients.ts`.
// `npm run build` writes them to out/reactors, which contains nothing else.
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
      // CommonJS, so that reactor code can require them.
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        // SECURITY: strict mode, like the source. In sloppy mode, code that a function calls could read the
        // function's callers and arguments.
        banner: ({ name }) => (name === 'main' ? '"use strict";' : ''),
      },
    },
  },
  ssr: { noExternal: true },
})
