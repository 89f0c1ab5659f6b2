/** Adds origins to the allowed ones. Null if all of them are allowed already. */
export function mergeOrigins(allowed: readonly string[], added: readonly string[]): string[] | null {
  const all = new Set([...allowed, ...added])
  return all.size > new Set(allowed).size ? [...all] : null
}
