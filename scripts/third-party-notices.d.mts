import type { Plugin } from 'vite'

/** A package by its folder, with the files that hold its notices; both relative to the checkout. */
export type NotedPackage = { readonly folder: string; readonly notices: readonly string[] }

/**
 * Creates a plugin that records which packages the bundle of this name contains. Fails the build for a module of
 * unknown origin.
 */
export function notePackages(name: string): Plugin

/** Returns the packages in the bundles of these names, after their build. */
export function packagesOf(bundles: readonly string[]): NotedPackage[]

/** The package in a folder. */
export function packageAt(folder: string): NotedPackage

/** Lists the packages that the project in a folder needs at run time. */
export function packagesInstalledFor(folder: string): NotedPackage[]

/** The bundles that each way to install Coffer includes. */
export const bundles: { readonly npm: readonly string[]; readonly desktop: readonly string[] }

/** Formats the notices: each package with its version and licence. */
export function noticesOf(packages: readonly NotedPackage[]): string
