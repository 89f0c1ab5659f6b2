import { CofferError } from '../../../shared/errors.ts'

/** The refusal of whatever needs an open vault while none is. */
export function locked(): CofferError {
  return new CofferError('locked', 'The vault is locked. Unlock it in Coffer and try again.')
}

/** What belongs to the open vault; throws `locked` while there is none. */
export function unlocked<T>(open: T | null): T {
  if (open === null) throw locked()
  return open
}
