import { VaultLock } from '../../electron/host/files/vault-lock.ts'
import { CofferError } from '../../shared/errors.ts'

try {
  const lock = VaultLock.acquire(process.argv[2] ?? '')
  lock.announceUrl('http://127.0.0.1:4747')
  // The listener also refers to the lock: a lock that is garbage-collected is released.
  process.stdin.once('end', () => lock.release())
  process.stdout.write('held')
} catch (error) {
  if (!(error instanceof CofferError)) throw error
  process.stdout.write(`${error.code}: ${error.message}`)
}
// Keeps the process running until it is killed.
process.stdin.resume()
