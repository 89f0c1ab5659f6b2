import type { Plugin } from 'vite'

/**
 * Replacements in the files of Fastify and its router. The build fails unless each one matches exactly `times` times.
 */
const replaced = [
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
    times: 1,
  },
  {
    // Coffer writes its own log.
    file: '/fastify/lib/logger-factory.js',
    from: /require\('\.\/logger-pino\.js'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // Requests arrive only through sockets, so Fastify needs no simulated requests.
    file: '/fastify/fastify.js',
    from: /require\('light-my-request'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // Coffer trusts no proxy in front of it.
    file: '/fastify/lib/request.js',
    from: /require\('@fastify\/proxy-addr'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // The router compares a prefix of at least this length with `indexOf`, instead of compiling a function for it.
    file: '/find-my-way/lib/node.js',
    from: /^const LONG_PREFIX_MIN_LENGTH = \d+$/gm,
    to: 'const LONG_PREFIX_MIN_LENGTH = 2',
    times: 1,
  },
]

/** Removes the parts of Fastify that slow down every start and that Coffer does not use. */
export function lightenFastify(): Plugin {
  return {
    name: 'light-fastify',
    transform(code, id) {
      const replacement = replaced.find(({ file }) => id.endsWith(file))
      if (!replacement) return
      const { file, from, to, times } = replacement
      if (code.match(from)?.length !== times) throw new Error(`${file} has changed. Update light-fastify.ts.`)
      return code.replace(from, to)
    },
  }
}
