import type { FirstSteps } from '../../../shared/schemas/first-steps.ts'
import { owner, starters } from '../../engine/index.ts'
import { listBackups } from '../backups/backup-folder.ts'
import { readHeader } from '../files/header.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { sampleApplications } from './sample-applications.ts'

const starterNames = Object.values(starters).map(({ name }) => name)
const names = [...starterNames, ...sampleApplications.map(({ name }) => name)]

/** Returns the first steps taken in an open vault, by any actor. Throws `unavailable`. */
export async function readFirstSteps(vault: OpenVault, dataDir: string): Promise<FirstSteps> {
  const steps = await vault.engine.as(owner).stats.firstSteps({ names, starters: starterNames.length })
  return { ...steps, backup: isEphemeral(vault) ? null : hasBackup(vault, dataDir) }
}

function hasBackup({ files, name }: OpenVault, dataDir: string): boolean {
  const { vault_id } = readHeader(files.header)
  return listBackups(dataDir, name).some((backup) => backup.vault_id === vault_id)
}
