import type { VaultSummary } from '../../../shared/host.ts'
import { sizeText } from '../../../shared/size-text.ts'
import { type Claimant, claimantOf } from '../../host/files/claim.ts'
import { refuseExposed } from '../../host/files/exposed.ts'
import { missingVaults } from '../../host/files/known-vaults.ts'
import { listVaults, vaultFiles } from '../../host/files/vault-files.ts'
import { summaryOf } from '../../host/vault/vault-summary.ts'
import { hintFor } from '../hint.ts'
import { placeOf, say } from '../terminal/common.ts'
import { publishedUrl } from '../terminal/published-port.ts'
import { inMemory } from '../terminal/shared-vault.ts'

export async function showStatus(options: Options): Promise<void> {
  const place = placeOf(options)
  const { dataDir } = place
  refuseExposed(dataDir)
  const vaults = listVaults(dataDir).map((name) => statusOf(dataDir, name, options.publishedPort))
  const missing = missingVaults(dataDir)
  const in_memory = await inMemoryOf(dataDir, options.publishedPort)
  if (options.json) return say(JSON.stringify({ data_dir: dataDir, vaults, missing, in_memory }))
  say(`Data folder: ${dataDir}`)
  for (const each of in_memory) say(`in memory  ${placeOfOpen(each)}`)
  for (const name of missing) say(`${name}  gone: put its folder back, or restore a backup under this name`)
  if (vaults.length + missing.length + in_memory.length === 0)
    return say(`No vault yet. Create one with: ${hintFor(place, 'init')}`)
  for (const vault of vaults) say(lineOf(vault))
}

export type Options = { dataDir?: string; vault: string; publishedPort?: number; json?: true }

type VaultStatus = VaultSummary & { readonly open_in?: Claimant }

type InMemoryStatus = { readonly pid: number; readonly command: string; readonly url?: string | undefined }

/** What is known of a vault without opening it, and where it is open. */
function statusOf(dataDir: string, name: string, port: number | undefined): VaultStatus {
  const summary = summaryOf(dataDir, name)
  const holder = summary.problem === undefined && claimantOf(vaultFiles(dataDir, name).folder)
  return { ...summary, ...(holder && { open_in: { ...holder, ...reached(holder.url, port) } }) }
}

/** The vaults in memory that run with a data folder. */
async function inMemoryOf(dataDir: string, port: number | undefined): Promise<InMemoryStatus[]> {
  const found = await inMemory(dataDir)
  return found.map((session) => {
    session.close()
    const { pid, command, url } = session.greeting
    return { pid, command, ...reached(url ?? undefined, port) }
  })
}

/** Where callers reach a listener. */
function reached(url: string | undefined, port: number | undefined): { url?: string } {
  return url === undefined ? {} : { url: publishedUrl(url, port) }
}

function lineOf({ name, protection, bytes, open_in, problem }: VaultStatus): string {
  if (problem !== undefined) return `${name}  ${problem}`
  const where = open_in ? placeOfOpen(open_in) : 'closed'
  return `${name}  ${protection}, ${sizeText(bytes ?? 0)}, ${where}`
}

function placeOfOpen({ command, pid, url }: InMemoryStatus): string {
  return `open in ${command} (process ${pid})${url ? `, listening at ${url}` : ''}`
}
