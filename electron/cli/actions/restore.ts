import path from 'node:path'
import { counted } from '../../../shared/counted.ts'
import { CofferError } from '../../../shared/errors.ts'
import { readBackupHead } from '../../host/backups/backup-file.ts'
import { type BroughtBack, broughtBack } from '../../host/vault/brought-back.ts'
import { restoreVault } from '../../host/vault/restore-vault.ts'
import { hintFor } from '../hint.ts'
import { sayIfLost } from '../terminal/broken-output.ts'
import { note, placeOf, say } from '../terminal/common.ts'
import { findKey } from '../terminal/find-key.ts'
import { protectionLike } from '../terminal/new-protection.ts'
import { withProgress } from '../terminal/progress.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'

export async function restore(typed: string, options: Options): Promise<void> {
  const place = placeOf(options)
  const { dataDir, vault: name } = place
  const file = path.resolve(typed)
  const { header, made_at } = readBackupHead(file)
  using key = await findKey(header)
  const found = await withProgress('Comparing', (watch) =>
    broughtBack({ dataDir, file, with: key, now: Date.now() }, watch),
  )
  await confirmBroughtBack(found, options.yes)
  const protection = await protectionLike(key.credential, name)
  await using vault = await withProgress('Restoring', (watch) =>
    restoreVault({ file, dataDir, name, with: key, protection }, watch),
  )
  const kept = 'passphrase' in protection ? 'passphrase' : 'keychain'
  const facts = {
    name,
    tenant_id: vault.engine.tenant_id,
    made_at,
    protection: kept,
    brings_back: found && {
      applications: found.applications,
      keys: found.keys,
      tokens: found.tokens,
      proxies: found.proxies,
      reactors: found.reactors,
      webhooks: found.webhooks,
      documents: found.documents,
      client_keys: found.client_keys,
    },
  }
  sayIfLost(`The vault ${name} was restored.`)
  if (options.json) return say(JSON.stringify(facts))
  say(`The vault ${name} was restored to its state at ${made_at}. It is protected by the ${kept}.`)
  say(`Next: ${hintFor(place, 'serve')}`)
}

export type Options = { dataDir?: string; vault: string; yes?: true; json?: true }

/** Says what comes back. Throws `forbidden` where something would and the owner does not confirm it. */
async function confirmBroughtBack(found: BroughtBack | null, yes: true | undefined): Promise<void> {
  if (!found) {
    note('What has been deleted since the backup comes back, and deleted application keys work again.')
    return
  }
  const { vault, applications, keys, tokens, proxies, reactors, webhooks, documents, client_keys } = found
  const many = [
    applications > 0 && counted(applications, 'application'),
    keys > 0 && counted(keys, 'application key'),
    tokens > 0 && counted(tokens, 'token'),
    proxies > 0 && counted(proxies, 'proxy', 'proxies'),
    reactors > 0 && counted(reactors, 'reactor'),
    webhooks > 0 && counted(webhooks, 'webhook'),
    documents > 0 && counted(documents, 'document'),
    client_keys > 0 && counted(client_keys, 'client encryption key'),
  ].filter(Boolean)
  if (many.length === 0) return
  const work = (['keys', 'proxies', 'reactors', 'webhooks'] as const)
    .filter((what) => found[what] > 0)
    .join(' and ')
  const again = work && ` The ${work} will work again.`
  note(
    `Deleted from the vault ${vault} since this backup, and back after a restore: ${many.join(', ')}.${again}`,
  )
  if (yes) return
  const answer = hasTerminal() ? await askLine('Restore it? Type yes: ') : undefined
  if (answer === 'yes') return
  throw new CofferError(
    'forbidden',
    answer === undefined
      ? 'Nothing was restored. To restore it all the same, add --yes.'
      : 'Nothing was restored.',
  )
}
