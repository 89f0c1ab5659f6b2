import { CofferError } from '../../../shared/errors.ts'

/** Returns the error for anything that needs an open vault. */
export function createLockedError(): CofferError {
  return new CofferError('locked', 'The vault is locked. Unlock it in Coffer and try again.')
}

/** Returns its argument, which belongs to the open vault. Throws `locked` if it is null, because no vault is open. */
export function requireUnlocked<T>(open: T | null): T {
  if (open === null) throw createLockedError()
  return open
}
