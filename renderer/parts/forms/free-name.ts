/** Returns a name that is not taken, in any letter case: itself, or with `between` and a number from 2 on. */
export function freeName(name: string, taken: readonly string[], between = ' '): string {
  const used = new Set(taken.map((each) => each.toLowerCase()))
  let free = name
  for (let number = 2; used.has(free.toLowerCase()); number++) free = `${name}${between}${number}`
  return free
}
