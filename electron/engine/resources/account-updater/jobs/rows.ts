import { quoteCell } from '../../../../../shared/csv-cell.ts'
import { CofferError } from '../../../../../shared/errors.ts'
import type { AccountUpdaterResult } from '../../../../../shared/schemas/account-updater.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toCardDetails } from '../../cards/card-details.ts'
import { findBin } from '../../cards/store.ts'
import { findMerchant } from '../../tenants/merchants/store.ts'
import { type UpdatedCard, updateCard } from '../update-card.ts'
import type { JobRow } from './store.ts'

const base = [
  'token',
  'expiration_year',
  'expiration_month',
  'new_token',
  'new_expiration_year',
  'new_expiration_month',
  'result_code',
]
const columnsByVersion: Readonly<Record<string, readonly string[]>> = {
  '1': base,
  '1.1': [...base, 'new_fingerprint', 'new_brand'],
  '1.2': [...base, 'new_fingerprint', 'new_brand', 'new_last4'],
}

/** The columns of the results of a job. */
export function listResultColumns({ result_version }: Pick<JobRow, 'result_version'>): readonly string[] {
  return columnsByVersion[result_version] ?? base
}

/** Splits a line of the uploaded file. The values have no separators, so quotes only surround them. */
export function splitLine(line: string): string[] {
  return line.split(',').map((value) => value.trim().replace(/^"(.*)"$/, '$1'))
}

/** The result for a row, with the line about it; null if nothing is to be done for its card. */
type RowResult = { readonly result_code: AccountUpdaterResult; readonly line: string | null }

/**
 * Updates the card of a row, with the rights of `acting` (rule Z-03). Nothing that is wrong with a row makes the job
 * fail.
 */
export function processRow(
  acting: Context,
  job: JobRow,
  values: Readonly<Record<string, string | undefined>>,
): RowResult {
  const result = updateRow(acting, job, values)
  const { result_code, card } = result
  if (result_code === 'NO_UPDATE') return { result_code, line: null }
  const { token = '', expiration_year = '', expiration_month = '' } = values
  const shown: Record<string, string> = { token, expiration_year, expiration_month, result_code, ...card }
  // Programs look up the values that they uploaded, so these are not changed.
  const cells = listResultColumns(job).map((column) => quoteCell(shown[column] ?? ''))
  return { result_code, line: cells.join(',') }
}

type UpdatedRow = { readonly result_code: AccountUpdaterResult; readonly card?: Record<string, string> }

function updateRow(
  acting: Context,
  { deduplicate }: JobRow,
  { token: token_id = '', expiration_year, expiration_month, merchant_id }: Parameters<typeof processRow>[2],
): UpdatedRow {
  if (merchant_id && !findMerchant(acting.db, merchant_id.toLowerCase()))
    return { result_code: 'ERR_INVALID_CONFIG' }
  const month = parseNumber(expiration_month, 1, 12)
  const year = parseNumber(expiration_year, 0, 9999)
  if (month === null || year === null) return { result_code: 'ERR_INVALID_EXP_DATE' }
  // Each row has the work of a request (rule R-03).
  acting.work = new WorkBudget()
  try {
    const updated = updateCard(acting, 'account-updater:job:create', {
      token_id,
      expiration_month: month,
      expiration_year: year !== undefined && year < 100 ? 2000 + year : year,
      deduplicate: deduplicate === null ? undefined : deduplicate === 1,
      way: 'job',
    })
    if (updated === 'no_card') return { result_code: 'ERR_INVALID_TOKEN' }
    if (typeof updated === 'string') return { result_code: 'ERR_INVALID_EXP_DATE' }
    return {
      result_code: updated.result_code,
      ...(updated.token && { card: describeCard(acting, updated.token) }),
    }
  } catch (error) {
    // The expressions of the token do not suit the new data.
    if (error instanceof CofferError && error.code === 'invalid') return { result_code: 'ERR_UNDEFINED' }
    throw error
  }
}

function describeCard(
  { db }: Context,
  { row, data }: NonNullable<UpdatedCard['token']>,
): Record<string, string> {
  const { last4, brand } = toCardDetails(data, (number) => findBin(db, number))
  return {
    new_token: row.id,
    new_expiration_year: String(data.expiration_year).slice(-2),
    new_expiration_month: String(data.expiration_month).padStart(2, '0'),
    new_fingerprint: row.fingerprint ? encodeBase58(row.fingerprint) : '',
    new_brand: brand ?? '',
    new_last4: last4,
  }
}

/** Returns the number in a text, undefined if the text is empty, or null if it is no such number. */
function parseNumber(text: string | undefined, min: number, max: number): number | undefined | null {
  if (!text) return undefined
  const number = Number(text)
  return /^\d{1,4}$/.test(text) && number >= min && number <= max ? number : null
}
