import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { inDataFolder } from '../files/data-folder.ts'
import { assertNotExposed } from '../files/exposed.ts'
import { argon2id } from '../files/header.ts'
import { trustStore } from './trust-stores.ts'

const content = z.strictObject({
  format: z.literal(1),
  id: z.uuid(),
  names: z.array(z.string()).min(1),
  root: z.string(),
  issuing: z.string(),
  /** The stores that may hold the certificate. They are recorded before anything is added to them. */
  stores: z.array(trustStore),
  /** The key that signs, sealed under a key that is in the keychain or derives from a passphrase. Absent once destroyed. */
  sealed: z.base64().optional(),
  keychain: z.strictObject({ service: z.string(), account: z.string() }).optional(),
  passphrase: z.strictObject({ argon2id, salt: z.base64() }).optional(),
})

/** The lasting authority of a data folder, as `authority.json` records it. */
export type AuthorityRecord = z.output<typeof content>

/** Returns where the files of the lasting authority are. */
export function getAuthorityFiles(dataDir: string) {
  const folder = path.join(dataDir, inDataFolder.authority)
  return {
    folder,
    record: path.join(folder, 'authority.json'),
    certificate: path.join(folder, 'authority.pem'),
  }
}

/** Whether there is a lasting authority, or what an interrupted command left of one. */
export function hasAuthority(dataDir: string): boolean {
  return fs.existsSync(getAuthorityFiles(dataDir).folder)
}

/**
 * Reads the record of the lasting authority; null if there is none. Throws `forbidden` if another user could change it
 * `damaged` if it is none of Coffer's, and `unavailable` if it cannot be read.
 */
export function readAuthority(dataDir: string): AuthorityRecord | null {
  const { folder, record, certificate } = getAuthorityFiles(dataDir)
  if (!hasAuthority(dataDir)) return null
  // SECURITY: commands change the stores that the record names.
  assertNotExposed(dataDir, folder, record, certificate)
  if (!fs.existsSync(record)) return null
  let text: string
  try {
    text = fs.readFileSync(record, 'utf8')
  } catch (error) {
    throw toStorageError(error, record)
  }
  try {
    return content.parse(JSON.parse(text))
  } catch {
    throw new CofferError(
      'damaged',
      `${record} is damaged. Remove the certificate in ${certificate} from the stores that you added it to, then delete ${folder}`,
    )
  }
}

/** Replaces the record of the lasting authority. Throws `unavailable`, `storage_full`. */
export function writeAuthority(dataDir: string, record: AuthorityRecord): void {
  writeAtomically(getAuthorityFiles(dataDir).record, `${JSON.stringify(record, undefined, 2)}\n`)
}
