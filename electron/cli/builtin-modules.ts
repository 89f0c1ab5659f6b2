import { isBuiltin } from 'node:module'
import type { Plugin } from 'vite'

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
