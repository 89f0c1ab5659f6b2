import { isBuiltin } from 'node:module'
import type { Plugin } from 'vite'

/**
 * Replacements in the files of Fastify and its router. The build fails unless each one matches exactly once, or `times`
 * times.
 */
const replaced: readonly { file: string; from: RegExp; to: string; times?: number }[] = [
  {
    // Coffer never creates a TLS server.
    file: '/fastify/lib/server.js',
    from: /require\('node:http[s2]'\)/g,
    to: '{}',
    times: 2,
  },
  {
    // The lockfile pins the versions of the plugins, so they need no check at every start.
    file: '/fastify/lib/plugin-utils.js',
    from: /require\('semver'\)/g,
    to: '{ satisfies: () => true }',
  },
  {
    // Coffer writes its own log.
    file: '/fastify/lib/logger-factory.js',
    from: /require\('\.\/logger-pino\.js'\)/g,
    to: '{}',
  },
  {
    // Requests arrive only through sockets, so Fastify needs no simulated requests.
    file: '/fastify/fastify.js',
    from: /require\('light-my-request'\)/g,
    to: '{}',
  },
  {
    // Coffer trusts no proxy in front of it.
    file: '/fastify/lib/request.js',
    from: /require\('@fastify\/proxy-addr'\)/g,
    to: '{}',
  },
  {
    // The router compares a prefix of at least this length with `indexOf`, instead of compiling a function for it.
    file: '/find-my-way/lib/node.js',
    from: /^const LONG_PREFIX_MIN_LENGTH = \d+$/gm,
    to: 'const LONG_PREFIX_MIN_LENGTH = 2',
  },
]

/** Removes the parts of Fastify that slow down every start and that Coffer does not use. */
export function lightenFastify(): Plugin {
  return {
    name: 'light-fastify',
    transform(code, id) {
      const replacement = replaced.find(({ file }) => id.endsWith(file))
      if (!replacement) return
      const { file, from, to, times = 1 } = replacement
      if (code.match(from)?.length !== times)
        throw new Error(`${file} has changed. Update bundle-plugins.ts.`)
      return code.replace(from, to)
    },
  }
}

/**
 * Escapes non-ASCII characters, so that Node stores the sources with one byte per character instead of two. This saves
 * 3 % of the processor time of a start.
 */
export function oneByte(): Plugin {
  return {
    name: 'one-byte',
    // This runs at the end of the build, because the code generator would undo the escapes.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escapeCode(file.code)
    },
  }
}

function escapeCode(code: string): string {
  // In a `String.raw` template, an escape would change the text.
  if (/String\.raw`[^`]*[^\p{ASCII}]/u.test(code))
    throw new Error('A String.raw template has characters beyond ASCII.')
  return code.replace(/[^\p{ASCII}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Matches an import of a Node module as the bundler writes it. */
const imported = /^import (?:(?<main>[\w$]+)(?:, )?)?(?:\{ (?<names>[^}]+) \})? from "(?<module>[\w:/]+)";$/gm

/**
 * Replaces imports of Node modules with calls to `process.getBuiltinModule`. An import also copies all members of a
 * module, which runs the getters of `node:http` and `node:crypto` that load `fetch` and Web Crypto. Coffer uses
 * neither, and loading them costs about 30 ms of processor time at every start.
 */
export function replaceBuiltinModules(): Plugin {
  return {
    name: 'builtin-modules',
    renderChunk(code) {
      return code.replace(imported, (matched, _main, _names, _module, _at, _all, { main, names, module }) => {
        if (!isBuiltin(module)) return matched
        const from = `process.getBuiltinModule(${JSON.stringify(module)})`
        const parts = names?.replaceAll(' as ', ': ')
        return [main && `const ${main} = ${from};`, parts && `const { ${parts} } = ${from};`]
          .filter(Boolean)
          .join(' ')
      })
    },
  }
}
