import { runJob } from '../connection/jobs.ts'
import { host } from '../connection/vault.ts'
import { toast } from '../messages/toast.tsx'
import { strings } from './strings.ts'

/** Backs up the open vault into a new file among its backups, and says so. Throws what the host says. */
export async function backUp(): Promise<void> {
  await runJob('backup', () => host.host.backup({}))
  toast(strings.backedUp)
}
