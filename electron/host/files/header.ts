import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from './atomic-write.ts'
import { argon2idBounds, computeHeaderChecksum } from './passphrase-slot.ts'

/** Format 2: the recovery slot has a public half. */
export const HEADER_FORMAT = 2 as const

const createRange = ([min, max]: readonly [number, number]) => z.int().min(min).max(max)

/** How a key is derived from a passphrase. */
export const argon2id = z.strictObject({
  memory_kib: createRange(argon2idBounds.memory_kib),
  iterations: createRange(argon2idBounds.iterations),
  parallelism: createRange(argon2idBounds.parallelism),
})

const bytes = z.base64().min(16).max(400)

const slots = {
  protection: z.enum(['keychain', 'passphrase']),
  /** Identifies the vault's master secret. */
  check: bytes,
  /**
   * The keychain entry that holds the master secret. If the vault is protected by a passphrase, the entry is left over
   * from an unfinished change of protection.
   */
  keychain: z.strictObject({ service: z.string(), account: z.string() }).optional(),
  passphrase: z.strictObject({ argon2id, salt: bytes, wrapped: bytes }).optional(),
  /**
   * The slot of the recovery key. In format 1, the master secret is wrapped under a key that derives from the recovery
   * key. In format 2, it is sealed to the public half of a key pair that derives from the recovery key.
   */
  recovery: z.strictObject({ wrapped: bytes, ephemeral: bytes.optional(), sealed_to: bytes.optional() }),
}

/**
 * Present during a change of the master secret: how the new secret is protected, and each secret wrapped under the
 * other.
 */
const next = z
  .strictObject({ ...slots, under_old: bytes, old_under_new: bytes })
  .refine((value) => value[value.protection] !== undefined)

export const headerSchema = z
  .strictObject({
    format: z.literal([1, HEADER_FORMAT]),
    vault_id: z.uuid(),
    name: z.string().min(1).max(64),
    created_at: z.string(),
    ...slots,
    next: next.optional(),
  })
  .refine((value) => value[value.protection] !== undefined)

/** The content of `vault.json`: how the master secret is protected. It cannot open the vault without a credential. */
export type Header = z.infer<typeof headerSchema>
export type NextMaster = NonNullable<Header['next']>
export type Argon2id = z.infer<typeof argon2id>

/** Reads and checks `vault.json`. Throws `not_found`, `damaged`, `unavailable`, `unprocessable` (a newer format). */
export function readHeader(file: string): Header {
  const text = readText(file)
  try {
    const { checksum, ...content } = z.looseObject({ checksum: z.string() }).parse(JSON.parse(text))
    if (checksum !== computeHeaderChecksum(content)) throw new Error('checksum')
    if (
      z
        .int()
        .min(HEADER_FORMAT + 1)
        .safeParse(content.format).success
    )
      throw createNewerFormatError(file)
    return headerSchema.parse(content)
  } catch (error) {
    if (error instanceof CofferError) throw error
    throw new CofferError(
      'damaged',
      `${file} is damaged, so its vault cannot be opened. It was not changed. Put back a copy of vault.json, or restore a backup.`,
      { cause: error },
    )
  }
}

export function writeHeader(file: string, content: Header): void {
  const checked = headerSchema.parse({ ...content, format: HEADER_FORMAT })
  const withChecksum = { ...checked, checksum: computeHeaderChecksum(checked) }
  writeAtomically(file, `${JSON.stringify(withChecksum, undefined, 2)}\n`)
}

/** Computes a digest of what opens a vault. It changes with every change of a credential. */
export function computeCredentialDigest({ check, protection, passphrase, recovery }: Header): string {
  return computeHeaderChecksum({ check, protection, passphrase, recovery })
}

/** Returns the header after the new master secret has replaced the old one. */
export function withNextMaster({ format, vault_id, name, created_at }: Header, next: NextMaster): Header {
  const { under_old: _, old_under_new: __, ...slots } = next
  return { format, vault_id, name, created_at, ...slots }
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw toStorageError(error, file)
    throw new CofferError(
      'not_found',
      `There is no ${file}. If its folder holds a vault.db, put back its vault.json, or restore a backup.`,
    )
  }
}

function createNewerFormatError(file: string): CofferError {
  return new CofferError(
    'unprocessable',
    `${file} was written by a newer Coffer. The vault was not changed. Install that version.`,
  )
}
