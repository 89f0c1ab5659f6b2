import { runJob } from './jobs.ts'
import { strings } from './strings.ts'
import { toast } from './toast.tsx'
import { host } from './vault.ts'

/** Backs up the open vault into a new file among its backups, and says so. Throws what the host says. */
export async function backUp(): Promise<void> {
  await runJob('backup', () => host.host.backup({}))
  toast(strings.frame.backedUp)
}
