import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { importReport } from './import.ts'

/** Whether an account accepts ACH transfers (rule B-02). */
export const bankStatus = z.enum(['enabled', 'disabled', 'inconclusive'])

/** One account of the vault's bank directory (rule B-02). */
export const bankAccount = nameObject('BankAccount', {
  routing_number: z.string(),
  account_number: z.string(),
  status: bankStatus,
})

const routing_number = z.string().regex(/^\d{9}$/, 'must be a string of 9 digits')
const account_number = z.string().regex(/^\d{1,17}$/, 'must be a string of 1 to 17 digits')

export const bankAccountKey = z.strictObject({ routing_number, account_number })
export const newBankAccount = bankAccountKey.extend({ status: bankStatus })

/** The result of importing a directory: how many accounts are new, and how many changed their status. */
export const bankImportReport = importReport.extend({ added: z.int(), changed: z.int() })

/** The body of a bank account verification (rule B-01). */
export const bankVerification = z.strictObject({
  token_id: z.string().min(1).max(400),
  country_code: optionalField(z.string().regex(/^[A-Za-z]{2}$/, 'must be two letters')),
  routing_number: optionalField(routing_number),
})
