import type { Plugin } from 'vite'

/** A package by its folder, with the files that hold its notices; both relative to the checkout. */
export type NotedPackage = { readonly folder: string; readonly notices: readonly string[] }

/** Writes down which packages the bundle of this name holds. Fails the build where a module is nobody's. */
export function notePackages(name: string): Plugin

/** The packages in the bundles of these names, once they are built. */
export function packagesOf(bundles: readonly string[]): NotedPackage[]

/** The package in a folder. */
export function packageAt(folder: string): NotedPackage

/** The packages that are installed for the project in a folder when it runs. */
export function packagesInstalledFor(folder: string): NotedPackage[]

/** The bundles that each way to install Coffer brings along. */
export const bundles: { readonly npm: readonly string[]; readonly desktop: readonly string[] }

/** Names each package, with its version and the text of its licence. */
export function noticesOf(packages: readonly NotedPackage[]): string
