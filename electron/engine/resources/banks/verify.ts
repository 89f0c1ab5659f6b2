import { isAbaValid } from './aba.ts'

/** Whether an account accepts ACH transfers (B-02). */
export const bankStatuses = ['enabled', 'disabled', 'inconclusive'] as const
export type BankStatus = (typeof bankStatuses)[number]

export type DirectoryEntry = { routing_number: string; account_number: string; status: BankStatus }

/** The accounts built into every vault (B-02); the owner's directory takes precedence. */
export const builtinDirectory: readonly DirectoryEntry[] = [
  { routing_number: '021000021', account_number: '00001', status: 'enabled' },
  { routing_number: '021000021', account_number: '00002', status: 'inconclusive' },
  { routing_number: '021000020', account_number: '00000', status: 'disabled' },
]

/**
 * Verifies a bank account (B-02, B-03). `find` looks it up in the owner's directory. Outside the US the result is
 * `inconclusive`. In the US the directory decides, then the built-in accounts, then the checksum.
 */
export function verifyBank(
  account: { routing_number: string; account_number: string; country_code: string },
  find: (routing: string, account: string) => BankStatus | undefined,
): BankStatus {
  const { routing_number, account_number, country_code } = account
  if (country_code.toUpperCase() !== 'US') return 'inconclusive'
  const known = find(routing_number, account_number) ?? findBuiltinStatus(routing_number, account_number)
  return known ?? (isAbaValid(routing_number) ? 'inconclusive' : 'disabled')
}

function findBuiltinStatus(routing: string, account: string): BankStatus | undefined {
  return builtinDirectory.find((each) => each.routing_number === routing && each.account_number === account)
    ?.status
}
