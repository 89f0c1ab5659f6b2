import { CofferError } from '../../../shared/errors.ts'
import { note } from './common.ts'
import { askLine, hasTerminal } from './prompt.ts'

/**
 * Has the owner confirm something by the vault's name: typed after a warning, or `given` as an option. Throws
 * `forbidden` otherwise; `unasked` is what is said where nobody can be asked.
 */
export async function confirmName(
  vault: string,
  given: string | undefined,
  { warning, unasked }: { readonly warning: string; readonly unasked: string },
): Promise<void> {
  note(warning)
  const name =
    given ?? (hasTerminal() ? await askLine(`Type the name of the vault to confirm (${vault}): `) : undefined)
  if (name === vault) return
  throw new CofferError(
    'forbidden',
    name === undefined ? unasked : 'That is not the name of the vault. Nothing was done.',
  )
}
