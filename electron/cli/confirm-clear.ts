import { CofferError } from '../../shared/errors.ts'
import { note } from './common.ts'
import { askLine, hasTerminal } from './prompt.ts'

/**
 * Has the owner confirm that plaintext leaves the vault, by the vault's name: typed, or given with `--confirm`. Throws
 * `forbidden` otherwise.
 */
export async function confirmClear(
  vault: string,
  confirm: string | undefined,
  warning: string,
): Promise<void> {
  note(warning)
  const given =
    confirm ?? (hasTerminal() ? await askLine(`Type the name of the vault to go on (${vault}): `) : undefined)
  if (given === vault) return
  throw new CofferError(
    'forbidden',
    given === undefined
      ? `Plaintext leaves the vault only when its owner confirms it: --confirm ${vault}`
      : 'That is not the name of the vault. Nothing was done.',
  )
}
