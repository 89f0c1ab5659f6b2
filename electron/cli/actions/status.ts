import { formatSize } from '../../../shared/format-size.ts'
import type { VaultSummary } from '../../../shared/host/status.ts'
import { inspectAuthority } from '../../host/authority/lasting-authority.ts'
import { assertNotExposed } from '../../host/files/exposed.ts'
import { listMissingVaults } from '../../host/files/known-vaults.ts'
import { getVaultFiles, listVaults } from '../../host/files/vault-files.ts'
import { findLockHolder, type LockHolder } from '../../host/files/vault-lock.ts'
import { readVaultSummary } from '../../host/vault/vault-summary.ts'
import { formatVaultCommand } from '../hint.ts'
import { publishedUrl } from '../terminal/published-port.ts'
import { listInMemorySessions } from '../terminal/shared-vault.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function showStatus(options: StatusCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  const { dataDir } = location
  assertNotExposed(dataDir)
  const vaults = listVaults(dataDir).map((name) => readStatus(dataDir, name, options.publishedPort))
  const missing = listMissingVaults(dataDir)
  const in_memory = await listInMemory(dataDir, options.publishedPort)
  const authority = await inspectAuthority(dataDir)
  if (options.json) {
    const facts = { data_dir: dataDir, vaults, missing, in_memory, ...(authority && { authority }) }
    return printLine(JSON.stringify(facts))
  }
  printLine(`Data folder: ${dataDir}`)
  if (authority) printLine(`Lasting authority of coffer trust: ${authority.state}`)
  for (const each of in_memory) printLine(`in memory  ${describeOpenVault(each)}`)
  for (const name of missing)
    printLine(`${name}  missing: put its folder back, or restore a backup under this name`)
  if (vaults.length + missing.length + in_memory.length === 0)
    return printLine(`No vault yet. Create one with: ${formatVaultCommand(location, 'init')}`)
  for (const vault of vaults) printLine(formatStatus(vault))
}

export type StatusCommandOptions = { dataDir?: string; vault: string; publishedPort?: number; json?: true }

type VaultStatus = VaultSummary & { readonly open_in?: LockHolder }

type InMemoryStatus = { readonly pid: number; readonly command: string; readonly url?: string | undefined }

/** Reads the summary of a vault without opening it, and finds the process that has it open. */
function readStatus(dataDir: string, name: string, port: number | undefined): VaultStatus {
  const summary = readVaultSummary(dataDir, name)
  const holder = summary.problem === undefined && findLockHolder(getVaultFiles(dataDir, name).folder)
  return { ...summary, ...(holder && { open_in: { ...holder, ...toPublishedUrl(holder.url, port) } }) }
}

async function listInMemory(dataDir: string, port: number | undefined): Promise<InMemoryStatus[]> {
  const sessions = await listInMemorySessions(dataDir)
  return sessions.map((session) => {
    session.close()
    const { pid, command, url } = session.greeting
    return { pid, command, ...toPublishedUrl(url ?? undefined, port) }
  })
}

function toPublishedUrl(url: string | undefined, port: number | undefined): { url?: string } {
  return url === undefined ? {} : { url: publishedUrl(url, port) }
}

function formatStatus({ name, protection, bytes, open_in, problem }: VaultStatus): string {
  if (problem !== undefined) return `${name}  ${problem}`
  const where = open_in ? describeOpenVault(open_in) : 'closed'
  return `${name}  ${protection}, ${formatSize(bytes ?? 0)}, ${where}`
}

function describeOpenVault({ command, pid, url }: InMemoryStatus): string {
  return `open in ${command} (process ${pid})${url ? `, listening at ${url}` : ''}`
}
