import { isNumber, isObject, type Json, toDouble } from '../../../../shared/json.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import { type Problems, toMemberPath } from '../../../../shared/problems.ts'

const optionalMembers = ['expiration_month', 'expiration_year', 'cvc']
const members = ['number', ...optionalMembers]

/** Returns card data without optional members that are null, as it is stored. */
export function removeNullMembers(data: Json): Json {
  if (!isObject(data) || !optionalMembers.some((name) => data[name] === null)) return data
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => value !== null || !optionalMembers.includes(name)),
  )
}

/** Checks the data of a `card` token (T-03) and adds to `problems`. A null optional member counts as absent. */
export function checkCardData(data: Json, path: string, problems: Problems): void {
  if (!isObject(data)) {
    problems.add(path, 'must be an object')
    return
  }
  checkCardNumber(data.number ?? null, `${path}.number`, problems)
  const month = data.expiration_month ?? null
  if (month !== null && !isMonth(month)) {
    problems.add(`${path}.expiration_month`, 'must be a month from 1 to 12')
  }
  const year = data.expiration_year ?? null
  if (year !== null && !isYear(year)) {
    problems.add(`${path}.expiration_year`, 'must be a year of four digits')
  }
  const cvc = data.cvc ?? null
  if (cvc !== null && !isCvc(cvc)) problems.add(`${path}.cvc`, 'must be three or four digits')
  for (const name of Object.keys(data)) {
    if (!members.includes(name)) problems.add(toMemberPath(path, name), 'is not a member of card data')
  }
}

/** Checks a card number (T-02, T-03) and adds to `problems`. */
export function checkCardNumber(number: Json, path: string, problems: Problems): void {
  if (typeof number !== 'string' || !/^\d{13,19}$/.test(number)) {
    problems.add(path, 'must be a string of 13 to 19 digits without separators')
  } else if (!isLuhnValid(number)) {
    problems.add(path, 'must pass the Luhn check')
  }
}

function isMonth(value: Json): boolean {
  if (typeof value === 'string') return /^(0?[1-9]|1[0-2])$/.test(value)
  return isWithin(value, 1, 12)
}

function isYear(value: Json): boolean {
  if (typeof value === 'string') return /^[1-9]\d{3}$/.test(value)
  return isWithin(value, 1000, 9999)
}

function isCvc(value: Json): boolean {
  if (typeof value === 'string') return /^\d{3,4}$/.test(value)
  return isWithin(value, 100, 9999)
}

function isWithin(value: Json, min: number, max: number): boolean {
  const number = isNumber(value) ? toDouble(value) : undefined
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max
}
