import fs from 'node:fs'
import path from 'node:path'

// Checks that no module of the window keeps state that a lock does not reset: variables and mutable collections of a
// module belong in a store (`createVaultStore`, `createVaultState`). Exceptions, each with its reason, are in
// scripts/window-state.json. An exception that is no longer needed must be removed from it.

const root = path.join(import.meta.dirname, '..')
const allowed = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, 'window-state.json'), 'utf8'),
) as Record<string, Readonly<Record<string, string>>>
/** Elements run in other people's pages, which have no vault to lock. */
const folders = ['app', 'parts', 'screens', 'ui']
const state = /^(?:export )?(?:let (\w+)|const (\w+)\b.*= new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\))/gm

const found = folders.flatMap((folder) =>
  fs
    .readdirSync(path.join(root, 'renderer', folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('renderer', folder, file.replaceAll(path.sep, '/')))
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      Array.from(
        fs.readFileSync(path.join(root, file), 'utf8').matchAll(state),
        ([, variable, collection]) => ({
          file,
          name: variable ?? collection ?? '',
        }),
      ),
    ),
)

const problems = [
  ...found
    .filter(({ file, name }) => !allowed[file]?.[name])
    .map(
      ({ file, name }) =>
        `${file}: a lock does not reset ${name}. Keep it in a store (createVaultStore, createVaultState).`,
    ),
  ...Object.entries(allowed).flatMap(([file, names]) =>
    Object.keys(names)
      .filter((name) => !found.some((each) => each.file === file && each.name === name))
      .map((name) => `scripts/window-state.json: ${file} no longer has ${name}. Remove it from the list.`),
  ),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
