import { isObject, type Json } from '../../../../shared/json.ts'
import { type Problems, toMemberPath } from '../../../../shared/problems.ts'
import { isAbaValid } from './aba.ts'

const members = ['routing_number', 'account_number']

/** Checks the data of a `bank` token (T-03) and adds to `problems`. */
export function checkBankData(data: Json, path: string, problems: Problems): void {
  if (!isObject(data)) {
    problems.add(path, 'must be an object')
    return
  }
  checkRoutingNumber(data.routing_number ?? null, `${path}.routing_number`, problems)
  checkAccountNumber(data.account_number ?? null, 1, `${path}.account_number`, problems)
  for (const name of Object.keys(data)) {
    if (!members.includes(name)) problems.add(toMemberPath(path, name), 'is not a member of bank data')
  }
}

/** Checks a routing number (T-02, T-03) and adds to `problems`. */
export function checkRoutingNumber(routing: Json, path: string, problems: Problems): void {
  if (typeof routing !== 'string' || !/^\d{9}$/.test(routing)) {
    problems.add(path, 'must be a string of 9 digits')
  } else if (!isAbaValid(routing)) {
    problems.add(path, 'must pass the ABA checksum')
  }
}

/**
 * Checks an account number and adds to `problems`. It has 1 to 17 digits in a `bank` token, and 3 to 17 in a
 * `us_bank_account_number` token (T-02, T-03).
 */
export function checkAccountNumber(account: Json, minLength: 1 | 3, path: string, problems: Problems): void {
  if (typeof account !== 'string' || !/^\d{1,17}$/.test(account) || account.length < minLength) {
    problems.add(path, `must be a string of ${minLength} to 17 digits`)
  }
}

/** The `bank` object of a token (T-17). */
export type BankDetails = { routing_number: string; account_number_last4: string }

/** Returns the `bank` object for valid `bank` data (T-17). */
export function toBankDetails(data: { routing_number: string; account_number: string }): BankDetails {
  return { routing_number: data.routing_number, account_number_last4: data.account_number.slice(-4) }
}
