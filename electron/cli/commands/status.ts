import { Command } from 'commander'
import type { VaultSummary } from '../../../shared/host.ts'
import { type Claimant, claimantOf } from '../../host/files/claim.ts'
import { missingVaults } from '../../host/files/known-vaults.ts'
import { listVaults, vaultFiles } from '../../host/files/vault-files.ts'
import { summaryOf } from '../../host/vault/vault-summary.ts'
import { hintFor } from '../hint.ts'
import { placeOf, say, withPlace } from '../terminal/common.ts'

type VaultStatus = VaultSummary & { readonly open_in?: Claimant }

/** What is known of a vault without opening it, and where it is open. */
function statusOf(dataDir: string, name: string): VaultStatus {
  const summary = summaryOf(dataDir, name)
  const holder = summary.problem === undefined && claimantOf(vaultFiles(dataDir, name).folder)
  return { ...summary, ...(holder && { open_in: holder }) }
}

function lineOf({ name, protection, bytes, open_in, problem }: VaultStatus): string {
  if (problem !== undefined) return `${name}  ${problem}`
  const where = open_in
    ? `open in ${open_in.command} (process ${open_in.pid})${open_in.url ? `, listening at ${open_in.url}` : ''}`
    : 'closed'
  return `${name}  ${protection}, ${((bytes ?? 0) / 1024).toFixed(0)} kB, ${where}`
}

/** `coffer status`: lists the vaults of a data folder and where each is open. */
export function statusCommand(): Command {
  return withPlace(new Command('status'))
    .description('Show the vaults of the data folder and where they are open')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText('after', '\nExamples:\n  coffer status\n  coffer status --json')
    .action((options: { dataDir?: string; vault: string; json?: true }) => {
      const place = placeOf(options)
      const { dataDir } = place
      const vaults = listVaults(dataDir).map((name) => statusOf(dataDir, name))
      const missing = missingVaults(dataDir)
      if (options.json) return say(JSON.stringify({ data_dir: dataDir, vaults, missing }))
      say(`Data folder: ${dataDir}`)
      for (const name of missing)
        say(`${name}  gone: put its folder back, or restore a backup under this name`)
      if (vaults.length + missing.length === 0)
        return say(`No vault yet. Create one with: ${hintFor(place, 'init')}`)
      for (const vault of vaults) say(lineOf(vault))
    })
}
