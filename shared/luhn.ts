/** Whether a string has only digits and passes the Luhn check (T-02, T-03). */
export function isLuhnValid(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false
  let sum = 0
  for (let position = 1; position <= digits.length; position++) {
    const digit = Number(digits[digits.length - position])
    const weighted = position % 2 === 0 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
