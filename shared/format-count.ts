/**
 * Formats a count with its noun: `1 token`, `2 tokens`. The count may already be formatted. `many` is the plural; by
 * default, the noun with an s.
 */
export function formatCount(count: number | string, what: string, many = `${what}s`): string {
  return `${count} ${Number(count) === 1 ? what : many}`
}
