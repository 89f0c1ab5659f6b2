import { createRequire } from 'node:module'
import path from 'node:path'
import { build, type Rolldown } from 'vite'

const bundles = new Map<string, Promise<string>>()

/** A page's program with the packages that it imports, as a shop's own build makes it; once per process. */
export function bundled(file: string): Promise<string> {
  const known = bundles.get(file)
  if (known) return known
  const made = bundle(file)
  bundles.set(file, made)
  return made
}

async function bundle(file: string): Promise<string> {
  const done = (await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: { dedupe: ['react', 'react-dom'], alias: aliases },
    build: { write: false, minify: false, rollupOptions: { input: file } },
  })) as Rolldown.RolldownOutput
  return done.output.map((each) => (each.type === 'chunk' ? each.code : '')).join('\n')
}

/** What basis-theory-js takes of Node has stand-ins for browsers among its own dependencies. */
const aliases = {
  os: path.join(
    path.dirname(createRequire(import.meta.url).resolve('os-browserify/package.json')),
    'browser.js',
  ),
}
