import path from 'node:path'

/**
 * Returns the bundle of a program of `tests/build-steps.ts`, which starts in a third of the time; undefined unless it
 * was built.
 */
export function findBundle(name: string): string {
  return path.join(import.meta.dirname, '..', 'out', 'tests', `${name}.js`)
}
