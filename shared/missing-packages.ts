import type { Dependencies } from './schemas/runtime.ts'

/** A package that a runtime names and that is not installed in its version; `installed` is the version that is. */
export type MissingPackage = {
  readonly name: string
  readonly version: string
  readonly installed: string | null
}

/** Lists the dependencies that are not among the installed packages, in this version (rule F-03). */
export function listMissingPackages(
  dependencies: Dependencies,
  installed: ReadonlyMap<string, string>,
): MissingPackage[] {
  return Object.entries(dependencies)
    .filter(([name, version]) => installed.get(name) !== version)
    .map(([name, version]) => ({ name, version, installed: installed.get(name) ?? null }))
}

/** Returns the command that adds packages. */
export function formatAddCommand(
  packages: readonly { readonly name: string; readonly version: string }[],
): string {
  return `coffer reactor add-package ${packages.map(({ name, version }) => `${name}@${version}`).join(' ')}`
}
