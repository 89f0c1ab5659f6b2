import path from 'node:path'

/**
 * Returns the path of a bundle that `tests/build-steps.ts` builds. A bundle starts in a third of the time of its
 * sources.
 */
export function findBundle(name: string): string {
  return path.join(import.meta.dirname, '..', 'out', 'tests', `${name}.js`)
}
