/** The origins that are allowed and those to allow as well; null if all of these are allowed already. */
export function mergeOrigins(allowed: readonly string[], added: readonly string[]): string[] | null {
  const all = new Set([...allowed, ...added])
  return all.size > new Set(allowed).size ? [...all] : null
}
