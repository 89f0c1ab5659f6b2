import { isBuiltin } from 'node:module'
import type { Plugin } from 'vite'

/** An import of a module of Node as the bundler writes it. */
const imported = /^import (?:(?<main>[\w$]+)(?:, )?)?(?:\{ (?<names>[^}]+) \})? from "(?<module>[\w:/]+)";$/gm

/**
 * Gets modules of Node by `process.getBuiltinModule`. An import also makes copies of all their members, and so runs the
 * getters of `node:http` and `node:crypto` that load a fetch and a Web Crypto which Coffer does not use: some 30 ms of
 * processor time at every start.
 */
export function builtinModules(): Plugin {
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
