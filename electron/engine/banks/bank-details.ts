/** The `bank` object of a token (T-17). */
export type BankDetails = { routing_number: string; account_number_last4: string }

/** The `bank` object of checked `bank` data (T-17). */
export function bankDetails(data: { routing_number: string; account_number: string }): BankDetails {
  return { routing_number: data.routing_number, account_number_last4: data.account_number.slice(-4) }
}
