/** Milliseconds with one decimal; a value that would round to zero is `< 0.1`. */
export function milliseconds(ms: number): string {
  return ms < 0.05 ? '< 0.1' : ms.toFixed(1)
}
