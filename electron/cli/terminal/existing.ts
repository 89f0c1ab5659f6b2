import { CofferError } from '../../../shared/errors.ts'
import { existingVault, type VaultFiles } from '../../host/files/vault-files.ts'
import { hintFor } from '../hint.ts'
import type { Place } from './common.ts'

/** The files of the vault of a place; throws `not_found` with the command that makes one. */
export function existing(place: Place): VaultFiles {
  try {
    return existingVault(place.dataDir, place.vault)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError('not_found', `${error.message} Make it with: ${hintFor(place, 'init')}`)
  }
}
