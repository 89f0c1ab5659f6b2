/** The origins that are allowed and those to allow as well; null if all of these are allowed already. */
export function newOrigins(allowed: readonly string[], wanted: readonly string[]): string[] | null {
  const all = new Set([...allowed, ...wanted])
  return all.size > new Set(allowed).size ? [...all] : null
}
