import {
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { readJson } from '../../../shared/json.ts'
import { z } from '../../../shared/zod.ts'
import { seal, unseal } from '../../engine/index.ts'
import { argon2id } from '../files/header.ts'
import { derivePassphraseSlotKey, type ProtectionOrKey } from '../keys/protection.ts'
import { derivePublicHalf } from '../keys/recovery-slot.ts'
import type { KeyChange, PreparedKeyChange } from '../maintenance/key-change.ts'
import { computeProof } from './protocol.ts'

const publicKey = z.base64().max(100)

/** A key of the process that has the vault open, to seal one change to, and its proof that it has the master secret. */
export const changeOffer = z.object({ public_key: publicKey, proof: z.string().max(100) })
type ChangeOffer = z.output<typeof changeOffer>

/** A change, sealed to an offered key. */
export const sealedChange = z.strictObject({ public_key: publicKey, sealed: z.base64().max(10_000) })
type SealedChange = z.output<typeof sealedChange>

const bytes = z.base64().length(44)
const protection = z.union([
  z.strictObject({ keychain: z.literal(true) }),
  z.strictObject({ key: bytes.transform((text) => Buffer.from(text, 'base64')), salt: z.base64(), argon2id }),
])
const recovery_key = z.strictObject({ public_half: bytes })
const keyChange: z.ZodType<KeyChange> = z.discriminatedUnion('change', [
  z.strictObject({
    change: z.literal('master'),
    protection,
    recovery_key,
    fingerprints: z.boolean().optional(),
  }),
  z.strictObject({
    change: z.literal('protection'),
    protection,
    recovery_key: recovery_key.optional(),
    keepMaster: z.boolean().optional(),
  }),
  z.strictObject({
    change: z.literal('recovery key'),
    protection: z.union([protection, z.literal('keepMaster')]),
    recovery_key,
  }),
])
const preparedChange = z.strictObject({ from: z.string(), change: keyChange })

/** What both processes know of one exchange. */
type ControlExchange = { readonly master: Buffer; readonly nonce: string }

/** Offers a key to which a command seals one change. The private key stays with the caller. */
export function offerChangeKey(exchange: ControlExchange): { offer: ChangeOffer; privateKey: KeyObject } {
  const pair = generateKeyPairSync('x25519')
  const public_key = exportKey(pair.publicKey)
  return { offer: { public_key, proof: proveOffer(exchange, public_key) }, privateKey: pair.privateKey }
}

/** Whether a process that has the master secret made this offer. */
export function isGenuineOffer(exchange: ControlExchange, { public_key, proof }: ChangeOffer): boolean {
  const expected = Buffer.from(proveOffer(exchange, public_key))
  const actual = Buffer.from(proof)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Seals a change to an offered key, after `isGenuineOffer`. SECURITY: a passphrase is replaced by the key that it
 * derives, and a recovery key by the public half of its pair, so that neither leaves the process of the command.
 */
export async function sealChange(
  exchange: ControlExchange & { readonly vault_id: string },
  offer: ChangeOffer,
  { from, change }: PreparedKeyChange,
): Promise<SealedChange> {
  const text = JSON.stringify({ from, change: await replaceSecrets(change, exchange.vault_id) })
  const pair = generateKeyPairSync('x25519')
  const public_key = exportKey(pair.publicKey)
  const key = deriveKey(exchange, pair.privateKey, offer.public_key, [public_key, offer.public_key])
  return { public_key, sealed: seal(key, text, AAD).toString('base64') }
}

/** Opens a sealed change; null if it was not sealed with the same master secret to this key. */
export function unsealChange(
  exchange: ControlExchange,
  { offer, privateKey }: ReturnType<typeof offerChangeKey>,
  { public_key, sealed }: SealedChange,
): PreparedKeyChange | null {
  try {
    const key = deriveKey(exchange, privateKey, public_key, [public_key, offer.public_key])
    const text = unseal(key, Buffer.from(sealed, 'base64'), AAD)
    return preparedChange.parse(readJson(text.toString('utf8')))
  } catch {
    return null
  }
}

const AAD = 'coffer control change v1'

/**
 * SECURITY: derives from the master secret, so nobody without it can seal a change or read one, and from two keys that
 * are used once, so that an old master secret does not open what was recorded.
 */
function deriveKey(
  { master, nonce }: ControlExchange,
  privateKey: KeyObject,
  other: string,
  publicKeys: readonly [command: string, process: string],
): KeyObject {
  const shared = diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: Buffer.from(other, 'base64'), format: 'der', type: 'spki' }),
  })
  const secret = Buffer.concat([shared, master])
  const key = Buffer.from(hkdfSync('sha256', secret, [nonce, ...publicKeys].join('|'), AAD, 32))
  try {
    return createSecretKey(key)
  } finally {
    for (const each of [shared, secret, key]) each.fill(0)
  }
}

function proveOffer({ master, nonce }: ControlExchange, public_key: string): string {
  return computeProof(master, `${nonce}|${public_key}`, 'offer')
}

function exportKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64')
}

async function replaceSecrets(
  { protection, recovery_key, ...change }: KeyChange,
  vault_id: string,
): Promise<object> {
  return {
    ...change,
    protection: protection === 'keepMaster' ? protection : await replacePassphrase(protection),
    recovery_key: typeof recovery_key === 'string' ? derivePublicHalf(recovery_key, vault_id) : recovery_key,
  }
}

async function replacePassphrase(protection: ProtectionOrKey): Promise<object> {
  if ('keychain' in protection) return protection
  const { key, ...slot } = 'key' in protection ? protection : await derivePassphraseSlotKey(protection)
  const text = key.toString('base64')
  key.fill(0)
  return { ...slot, key: text }
}
