import type { Plugin } from 'vite'

/** What is replaced in files of Fastify and its router, each in full or not at all. */
const replaced = [
  {
    // TLS is for servers that Coffer never makes.
    file: '/fastify/lib/server.js',
    from: /require\('node:http[s2]'\)/g,
    to: '{}',
    times: 2,
  },
  {
    // The lockfile says which plugins this version of Fastify gets.
    file: '/fastify/lib/plugin-utils.js',
    from: /require\('semver'\)/g,
    to: '{ satisfies: () => true }',
    times: 1,
  },
  {
    // Coffer keeps a log of its own.
    file: '/fastify/lib/logger-factory.js',
    from: /require\('\.\/logger-pino\.js'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // Requests arrive through sockets alone.
    file: '/fastify/fastify.js',
    from: /require\('light-my-request'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // No proxy in front of Coffer is trusted.
    file: '/fastify/lib/request.js',
    from: /require\('@fastify\/proxy-addr'\)/g,
    to: '{}',
    times: 1,
  },
  {
    // From this length on, the router compares a part of a path instead of compiling a function for it.
    file: '/find-my-way/lib/node.js',
    from: /^const LONG_PREFIX_MIN_LENGTH = \d+$/gm,
    to: 'const LONG_PREFIX_MIN_LENGTH = 2',
    times: 1,
  },
]

/** Leaves out of Fastify what costs time at every start and does nothing for Coffer. */
export function lightFastify(): Plugin {
  return {
    name: 'light-fastify',
    transform(code, id) {
      const replacement = replaced.find(({ file }) => id.endsWith(file))
      if (!replacement) return
      const { file, from, to, times } = replacement
      if (code.match(from)?.length !== times)
        throw new Error(`${file} is not as it was: look at light-fastify.ts.`)
      return code.replace(from, to)
    },
  }
}
