import { includedPackages } from './included-packages.ts'
import type { Dependencies } from './schemas/runtime.ts'

/** A package that a runtime names and that is not installed in its version; `installed` is the version that is. */
export type MissingPackage = {
  readonly name: string
  readonly version: string
  readonly installed: string | null
}

/** Lists the dependencies that are neither installed nor included in their versions (rule F-03). */
export function listMissingPackages(
  dependencies: Dependencies,
  installed: ReadonlyMap<string, string>,
): MissingPackage[] {
  return Object.entries(dependencies).flatMap(([name, version]) => {
    const included = Object.hasOwn(includedPackages, name) ? includedPackages[name] : undefined
    const found = installed.get(name) ?? included
    const isMissing = found !== version && found !== null
    return isMissing ? [{ name, version, installed: found ?? null }] : []
  })
}

/** Returns the command that adds packages. */
export function formatAddCommand(
  packages: readonly { readonly name: string; readonly version: string }[],
): string {
  return `coffer reactor add-package ${packages.map(({ name, version }) => `${name}@${version}`).join(' ')}`
}
