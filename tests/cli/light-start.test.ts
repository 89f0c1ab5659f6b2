import fs from 'node:fs'
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
})
