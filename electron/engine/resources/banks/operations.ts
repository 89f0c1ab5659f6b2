import { CofferError } from '../../../../shared/errors.ts'
import { countRowsBefore, toOffsetPage } from '../../../../shared/offset-page.ts'
import { bankAccount, bankAccountKey, newBankAccount } from '../../../../shared/schemas/bank.ts'
import { nothing, offsetPage, page, size } from '../../../../shared/schemas/common.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { formatDirectoryCsv } from './directory-csv.ts'
import {
  deleteBankAccount,
  findBankStatus,
  listBankAccounts,
  listBankAccountsAfter,
  putBankAccount,
} from './store.ts'

export const list = defineOperation({
  summary: 'List the accounts of the bank directory',
  entity: 'vault',
  input: z.strictObject({ page, size }),
  output: offsetPage(bankAccount),
  handler({ db }, { page, size }) {
    const { rows, total } = listBankAccounts(db, size, countRowsBefore({ page, size }))
    return toOffsetPage(rows, total, page, size)
  },
})

export const put = defineOperation({
  summary: 'Add an account to the bank directory, or change its status',
  entity: 'vault',
  effect: 'write',
  input: newBankAccount,
  output: bankAccount,
  handler({ db }, entry) {
    putBankAccount(db, entry)
    return entry
  },
})

export const remove = defineOperation({
  summary: 'Remove an account from the bank directory',
  entity: 'vault',
  effect: 'write',
  status: 204,
  input: bankAccountKey,
  output: nothing,
  handler({ db }, { routing_number, account_number }) {
    if (!deleteBankAccount(db, routing_number, account_number)) {
      throw new CofferError('not_found', 'There is no such account in the bank directory.')
    }
    return {}
  },
})

export const putMany = defineOperation({
  summary: 'Add accounts to the bank directory, or change their status',
  entity: 'vault',
  effect: 'write',
  input: z.strictObject({ entries: z.array(newBankAccount).max(1000), dry_run: z.boolean() }),
  output: z.object({ added: z.int(), changed: z.int() }),
  handler(context, { entries, dry_run }) {
    if (dry_run) context.markDryRun()
    const report = { added: 0, changed: 0 }
    for (const entry of entries) {
      const before = findBankStatus(context.db, entry.routing_number, entry.account_number)
      if (before === undefined) report.added++
      else if (before !== entry.status) report.changed++
      if (!dry_run) putBankAccount(context.db, entry)
    }
    return report
  },
})

/** The number of accounts in one part, so that other calls run in between. */
const MAX_EXPORTED = 5000

export const exportCsv = defineOperation({
  summary: 'Export a part of the bank directory as CSV, with the account after which the next part begins',
  entity: 'vault',
  input: z.strictObject({ after: newBankAccount.optional() }),
  output: z.object({ csv: z.string(), next: newBankAccount.nullable() }),
  handler({ db }, { after }) {
    const accounts = listBankAccountsAfter(db, MAX_EXPORTED, after)
    const next = accounts[MAX_EXPORTED - 1] ?? null
    return { csv: formatDirectoryCsv(accounts, after === undefined), next }
  },
})
