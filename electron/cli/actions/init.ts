import { CofferError } from '../../../shared/errors.ts'
import { holdsVault, vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
import { hintFor } from '../hint.ts'
import { saySecrets } from '../terminal/banner.ts'
import { placeOf, say } from '../terminal/common.ts'
import { make } from '../terminal/open-vault.ts'

export async function init(options: { dataDir?: string; vault: string; json?: true }): Promise<void> {
  const place = placeOf(options)
  const files = vaultFiles(place.dataDir, place.vault)
  if (vaultExists(files) && holdsVault(files.folder)) {
    throw new CofferError(
      'conflict',
      `The vault ${place.vault} already exists in ${place.dataDir}. Open it with: ${hintFor(place, 'serve')}`,
    )
  }
  const { keys, recovery_key, ...made } = await make(place, { memory: false })
  await using vault = made.vault
  const facts = { tenant_id: vault.engine.tenant_id, created: true, keys, recovery_key }
  if (options.json) return say(JSON.stringify(facts))
  say(`Created the vault ${vault.name} in ${vault.files.folder}`)
  saySecrets({ recovery_key, keys })
  say()
  say(`Next: ${hintFor(place, 'serve')}`)
}
