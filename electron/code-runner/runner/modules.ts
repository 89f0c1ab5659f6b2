import { createRequire } from 'node:module'
import path from 'node:path'
import { serviceErrors } from './service-errors.ts'

/** The Node modules that code can require (rule F-03). */
const builtinNames = ['buffer', 'crypto', 'http', 'https', 'querystring', 'stream', 'url', 'util', 'zlib']
// Read before `confineProcess` removes it.
const { getBuiltinModule } = process
/**
 * Loads each of these modules when it is needed, because loading all of them takes as long as the rest of the start.
 * SECURITY: without a prototype, so that code cannot add a name.
 */
const builtins: Readonly<Record<string, (() => unknown) | undefined>> = Object.assign(
  Object.create(null),
  Object.fromEntries(builtinNames.map((name) => [name, () => getBuiltinModule(name)])),
)

const NAME = /^(@[\w.~-]+\/)?[\w~-][\w.~-]*(\/[\w./~-]+)?$/

/** Creates the `require` of reactor code: Node modules, packages of the owner's folder, and what Coffer includes. */
export function createCodeRequire(packagesDir: string | null): (name: unknown) => unknown {
  const ownRequire = createRequire(import.meta.url)
  const packages = packagesDir === null ? null : createRequire(path.join(packagesDir, 'package.json'))
  return function require(name) {
    if (typeof name !== 'string') throw new TypeError('require needs the name of a module.')
    const plain = name.replace(/^node:/, '')
    const loadBuiltin = builtins[plain]
    if (loadBuiltin) return loadBuiltin()
    assertPackageName(ownRequire, name)
    if (packages) {
      try {
        return packages(name)
      } catch (error) {
        if (!isMissing(error, name)) throw error
      }
    }
    const included = requireIncluded(ownRequire, name)
    if (included !== undefined) return included
    throw createMissingError(
      `Cannot find module '${name}'. Add it with: coffer reactor add-package ${getPackageName(name)}`,
    )
  }
}

function assertPackageName(ownRequire: NodeJS.Require, name: string): void {
  if (isBuiltin(ownRequire, name)) {
    throw createMissingError(
      `Cannot find module '${name}'. Reactors can require these Node modules: ${builtinNames.join(', ')}.`,
    )
  }
  // SECURITY: a path could name any file that this process can read.
  if (!NAME.test(name) || name.includes('..')) {
    throw createMissingError(
      `Cannot find module '${name}'. Reactors can require packages and Node modules by name only.`,
    )
  }
}

function isBuiltin(ownRequire: NodeJS.Require, name: string): boolean {
  // Node returns null for the names of its built-in modules, because it does not look these up in folders.
  return ownRequire.resolve.paths(name.replace(/^node:/, '')) === null
}

/** Whether the package itself is missing, rather than a module that it requires. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message, requireStack } = (error ?? {}) as NodeJS.ErrnoException & { requireStack?: string[] }
  if (code === 'ERR_ACCESS_DENIED') return true
  return (
    code === 'MODULE_NOT_FOUND' &&
    (message?.includes(`'${name}'`) ?? false) &&
    (requireStack?.length ?? 0) <= 1
  )
}

function getPackageName(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

function createMissingError(message: string): Error {
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' })
}

/** The clients that Coffer includes, by the name that code requires. In a checkout, they are packages. */
const clients: Readonly<Record<string, { readonly bundle: string; readonly name: string }>> = {
  '@basis-theory/basis-theory-js': { bundle: 'basis-theory-js', name: '@basis-theory/basis-theory-js' },
  '@basis-theory/node-sdk-2': { bundle: 'node-sdk-2', name: 'basis-theory-node-sdk-2' },
  '@basis-theory/node-sdk': { bundle: 'node-sdk', name: '@basis-theory/node-sdk' },
}

/** Requires a package that Coffer includes; undefined for any other name. */
function requireIncluded(ownRequire: NodeJS.Require, name: string): unknown {
  if (name === '@basis-theory/basis-theory-reactor-formulas-sdk-js') return serviceErrors
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (!client) return undefined
  if (import.meta.filename.endsWith('.ts')) return ownRequire(client.name)
  return ownRequire(path.join(import.meta.dirname, `${client.bundle}.cjs`))
}
