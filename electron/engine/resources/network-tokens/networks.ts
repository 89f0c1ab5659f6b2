import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import { toCardDetails } from '../cards/card-details.ts'

/** A network that gives network tokens. */
type Network = {
  /** How the made numbers begin. It is in a range of the network, so that they have its brand. */
  readonly prefix: string
  readonly length: number
  /** The indicator that comes with a cryptogram. */
  readonly eci: string
}

/** By brand. */
const networks: Readonly<Record<string, Network>> = {
  visa: { prefix: '4895', length: 16, eci: '07' },
  mastercard: { prefix: '5356', length: 16, eci: '02' },
  discover: { prefix: '6011', length: 16, eci: '07' },
  'american-express': { prefix: '3796', length: 15, eci: '07' },
}

/** Returns the network of a card number; undefined if it gives no network tokens. */
export function findNetwork(number: string): Network | undefined {
  const { brand } = toCardDetails(number, null)
  return networks[brand ?? '']
}

const PAR_LENGTH = 29

/**
 * Makes up the number of a network token and the reference of its account, always the same for a card of a vault.
 * SECURITY: both are derived with a key of the vault, because the number of the card could be found by trying otherwise.
 */
export function makeNumbers(
  keyring: Keyring,
  { prefix, length }: Network,
  number: string,
): { number: string; par: string } {
  // SECURITY: no token has such a type, so that no fingerprint of a token can be one of these digests.
  const deriveText = (type: string, radix: number) =>
    BigInt(`0x${keyring.computeFingerprint(type, number).toString('hex')}`).toString(radix)
  const account = deriveText('network token account', 36).toUpperCase()
  const digits = prefix + deriveText('network token number', 10).slice(prefix.length + 1 - length)
  const check = [...'0123456789'].find((digit) => isLuhnValid(digits + digit))
  return { number: `${digits}${check}`, par: `5${account.slice(1 - PAR_LENGTH)}` }
}
