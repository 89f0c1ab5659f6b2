import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')
const imported = /^(?:import|export)\s+(?!type\b)(?:([^'"]*?)\bfrom\s+)?'([^']+)'/gm

/** Lists the names in the braces of an import or export, without types. */
function listNames(clause: string): string[] {
  const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? []
  return names.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('type '))
}

const engine = path.join(root, 'electron', 'engine', 'index.ts')
const filesOfEngine = new Map(
  [...fs.readFileSync(engine, 'utf8').matchAll(imported)].flatMap(([, clause = '', file = '']) =>
    listNames(clause).map((name) => [name, path.resolve(path.dirname(engine), file)] as const),
  ),
)

/** Lists the files that an import loads. The bundles skip the engine's index, which has no side effects. */
function listFiles(from: string, clause: string, specifier: string): string[] {
  const file = path.resolve(path.dirname(from), specifier)
  return file === engine ? listNames(clause).map((name) => filesOfEngine.get(name) ?? file) : [file]
}

/** Lists the packages that a file and its imports load at start, before any code runs. */
function listPackages(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages
  seen.add(file)
  for (const [, clause = '', name = ''] of fs.readFileSync(file, 'utf8').matchAll(imported)) {
    if (name.startsWith('.'))
      for (const next of listFiles(file, clause, name)) listPackages(next, seen, packages)
    else if (!name.startsWith('node:')) packages.add(name)
  }
  return packages
}

test('the CLI imports only commander at start, and serve imports fastify only later', () => {
  expect([...listPackages(path.join(root, 'electron', 'cli', 'run-program.ts'))]).toEqual(['commander'])
  // `serve` does need the driver, which proves that the search above finds packages.
  const servePackages = listPackages(path.join(root, 'electron', 'cli', 'actions', 'serve.ts'))
  expect(servePackages).toContain('better-sqlite3')
  // The listener is loaded later, while a key is derived.
  expect(servePackages).not.toContain('fastify')
  // YAML is loaded only for the few starts that read a YAML file.
  expect(servePackages).not.toContain('yaml')
})

test('the bundle loads Node modules only on demand, and the listener loads no TLS', () => {
  const out = path.join(root, 'out', 'cli')
  const chunks = fs.readdirSync(out).map((name) => fs.readFileSync(path.join(out, name), 'utf8'))
  const names = chunks.flatMap((code) => [...code.matchAll(/^import [^"\n]* from "([\w:/]+)";$/gm)])
  expect(names.map(([, name = '']) => name).filter(isBuiltin)).toEqual([])
  const [fastify = ''] = chunks.filter((code) => code.includes('// node_modules/fastify/lib/server.js'))
  expect(fastify).toContain('require("node:http")')
  expect(fastify).not.toMatch(/require\("node:http(s|2)"\)/)
})

/** Lists the chunks that a chunk of the bundle needs before it runs, without hashes. */
function listChunks(name: string): string[] {
  const out = path.join(root, 'out', 'cli')
  const seen = new Set<string>()
  const addImports = (file: string) => {
    for (const [, next = ''] of fs
      .readFileSync(path.join(out, file), 'utf8')
      .matchAll(/^import .*"\.\/(.+)";$/gm)) {
      if (seen.has(next)) continue
      seen.add(next)
      addImports(next)
    }
  }
  const isOne = new RegExp(`^${name}(-[\\w-]{8})?\\.js$`)
  for (const each of fs.readdirSync(out)) if (isOne.test(each)) addImports(each)
  const names = new Set([...seen].map((each) => each.replace(/(-[\w-]{8})?\.js$/, '')))
  names.delete(name)
  return [...names].sort()
}

test('each entry of the bundle loads only the chunks that it needs', () => {
  expect(listChunks('checkpoint-worker')).toEqual(['database', 'errors'])
  // Code that runs before the compile cache is enabled would be compiled at each start.
  expect(listChunks('coffer')).toEqual(['home'])
  expect(listChunks('program')).toEqual(['errors', 'home'])
  expect(listChunks('key')).toEqual(['errors', 'home', 'program'])
  expect(listChunks('config')).not.toContain('engine')
  expect(listChunks('incidents')).toEqual(['errors', 'home', 'program', 'schemas'])
  expect(listChunks('server')).not.toContain('listener')
  expect(listChunks('listener').length).toBeLessThan(13)
})
