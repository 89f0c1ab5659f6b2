import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Rolldown } from 'vite'

const root = path.join(import.meta.dirname, '..', '..', '..')
const bundles = new Map<string, Promise<string>>()

/** Bundles a page's program with its packages, like a shop's own build. Each page is bundled once per process. */
export function bundlePage(file: string): Promise<string> {
  const known = bundles.get(file)
  if (known) return known
  const made = bundleIfChanged(file)
  bundles.set(file, made)
  return made
}

/** Reuses the bundle in out/ unless a page's source, this file or the lockfile is newer. */
async function bundleIfChanged(file: string): Promise<string> {
  const cacheFile = path.join(root, 'out', 'test-pages', `${path.basename(file)}.js`)
  const since = fs.statSync(cacheFile, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [
    ...fs.globSync(path.join(path.dirname(file), '*')),
    import.meta.filename,
    path.join(root, 'package-lock.json'),
  ]
  if (sources.every((source) => fs.statSync(source).mtimeMs < since))
    return fs.readFileSync(cacheFile, 'utf8')
  const code = await buildPage(file)
  fs.mkdirSync(path.dirname(cacheFile), { recursive: true })
  // Another worker may read the file at the same time.
  const part = `${cacheFile}.${process.pid}`
  fs.writeFileSync(part, code)
  fs.renameSync(part, cacheFile)
  return code
}

async function buildPage(file: string): Promise<string> {
  // Imported only when needed, because loading Vite takes longer than using it.
  const { build: vite } = await import('vite')
  const done = (await vite({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: { dedupe: ['react', 'react-dom'], alias: aliases },
    build: { write: false, minify: false, rollupOptions: { input: file } },
  })) as Rolldown.RolldownOutput
  return done.output.map((each) => (each.type === 'chunk' ? each.code : '')).join('\n')
}

/** Browser versions of the Node modules that basis-theory-js uses. They are installed as its own dependencies. */
const aliases = {
  os: path.join(
    path.dirname(createRequire(import.meta.url).resolve('os-browserify/package.json')),
    'browser.js',
  ),
}
