/** Whether a routing number has nine digits and a valid ABA checksum, with the weights 3, 7, 1 (T-02, T-03, B-03). */
export function isAbaValid(routing: string): boolean {
  if (!/^\d{9}$/.test(routing)) return false
  let sum = 0
  for (const [index, digit] of [...routing].entries()) {
    sum += Number(digit) * (index % 3 === 0 ? 3 : index % 3 === 1 ? 7 : 1)
  }
  return sum % 10 === 0
}
