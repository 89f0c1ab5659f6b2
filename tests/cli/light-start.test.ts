import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')
const imported = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\bfrom\s+)?'([^']+)'/gm

/** The packages that a file and all that it imports need before anything runs. */
function packagesOf(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages
  seen.add(file)
  for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(imported)) {
    if (name.startsWith('.')) packagesOf(path.resolve(path.dirname(file), name), seen, packages)
    else if (!name.startsWith('node:')) packages.add(name)
  }
  return packages
}

test('help, completion and refusals load neither the engine nor the listener', () => {
  expect([...packagesOf(path.join(root, 'electron', 'cli', 'run-program.ts'))]).toEqual(['commander'])
  // What a command does needs more: the search above finds it.
  const ofServe = packagesOf(path.join(root, 'electron', 'cli', 'actions', 'serve.ts'))
  expect(ofServe).toContain('better-sqlite3')
  // The listener is loaded while a passphrase is derived.
  expect(ofServe).not.toContain('fastify')
  // Files that few starts read.
  expect(ofServe).not.toContain('yaml')
})

test('the bundle copies no members of a module of Node, and loads no TLS for the listener', () => {
  const out = path.join(root, 'out', 'cli')
  const chunks = fs.readdirSync(out).map((name) => fs.readFileSync(path.join(out, name), 'utf8'))
  const names = chunks.flatMap((code) => [...code.matchAll(/^import [^"\n]* from "([\w:/]+)";$/gm)])
  expect(names.map(([, name = '']) => name).filter(isBuiltin)).toEqual([])
  const [fastify = ''] = chunks.filter((code) => code.includes('// node_modules/fastify/lib/server.js'))
  expect(fastify).toContain('require("node:http")')
  expect(fastify).not.toMatch(/require\("node:http(s|2)"\)/)
})

/** The chunks that a chunk of the bundle needs before it runs, by their names without hashes. */
function chunksOf(name: string): string[] {
  const out = path.join(root, 'out', 'cli')
  const seen = new Set<string>()
  const add = (file: string) => {
    for (const [, next = ''] of fs
      .readFileSync(path.join(out, file), 'utf8')
      .matchAll(/^import .*"\.\/(.+)";$/gm)) {
      if (seen.has(next)) continue
      seen.add(next)
      add(next)
    }
  }
  const isOne = new RegExp(`^${name}(-[\\w-]{8})?\\.js$`)
  for (const each of fs.readdirSync(out)) if (isOne.test(each)) add(each)
  const names = new Set([...seen].map((each) => each.replace(/(-[\w-]{8})?\.js$/, '')))
  names.delete(name)
  return [...names].sort()
}

test('the bundle is a few files: the thread of the log and the early key load no schemas, a command no listener', () => {
  expect(chunksOf('checkpoint-worker')).toEqual(['database', 'errors'])
  // What comes before compiled code is kept would be compiled at each start.
  expect(chunksOf('coffer')).toEqual(['home'])
  expect(chunksOf('program')).toEqual(['errors', 'home'])
  expect(chunksOf('key')).toEqual(['errors', 'home', 'program'])
  expect(chunksOf('config')).not.toContain('engine')
  expect(chunksOf('incidents')).toEqual(['errors', 'home', 'program', 'schemas'])
  expect(chunksOf('server')).not.toContain('listener')
  expect(chunksOf('listener').length).toBeLessThan(13)
})
