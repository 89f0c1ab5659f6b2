import type { JsonObject } from '../../../../shared/json.ts'
import type { TspDetails } from '../../../../shared/schemas/token-intent.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { WalletTokenRow } from './store.ts'
import type { WalletEntity } from './wallet.ts'

/** The card of a payment. */
export type WalletData = {
  readonly number: string
  readonly expiration_month: number
  readonly expiration_year: number
}

/** The sealed content of a stored payment. SECURITY: `data` and `authentication` are plaintext. */
export type WalletContent = {
  /** `mpan` if Apple made the number for a merchant, otherwise `dpan`: for a device. */
  readonly type: 'dpan' | 'mpan'
  readonly data: WalletData
  /** What proves that the cardholder authenticated, as the API shows it. */
  readonly authentication: JsonObject
  /** Members that are shown to everyone who may read the payment. */
  readonly shown: {
    readonly fingerprint: string
    readonly transaction_id?: string
    readonly payment_data_type?: string
    readonly device_manufacturer_identifier?: string
    readonly details?: TspDetails
  }
}

export function sealContent(
  { keyring }: { keyring: Keyring },
  entity: WalletEntity,
  id: string,
  content: WalletContent,
): Buffer {
  return keyring.sealValue(JSON.stringify(content), id, entity)
}

/** Opens the content of a stored payment. Throws `damaged`. */
export function openContent(
  { keyring }: { keyring: Keyring },
  entity: WalletEntity,
  row: WalletTokenRow,
): WalletContent {
  return JSON.parse(keyring.openValue(row.content, row.id, entity))
}
