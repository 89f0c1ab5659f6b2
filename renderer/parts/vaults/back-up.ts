import { runJob } from '../connection/jobs.ts'
import { host } from '../connection/vault.ts'
import { showToast } from '../messages/toast.tsx'
import { strings } from './strings.ts'

/** Backs up the open vault to a new file, and shows a message. Throws the host's error. */
export async function backUp(): Promise<void> {
  await runJob('backup', () => host.backup({}))
  showToast(strings.backedUp)
}
