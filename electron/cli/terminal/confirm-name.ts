import { CofferError } from '../../../shared/errors.ts'
import { askLine, hasTerminal } from './prompt.ts'
import { printHint } from './vault-options.ts'

/**
 * Prints a warning and asks the owner to type the vault's name, unless an option has set `typedName`. Throws
 * `forbidden` if the name is wrong, and `forbidden` with the message `unasked` if there is no terminal to ask on.
 */
export async function confirmName(
  vault: string,
  typedName: string | undefined,
  { warning, unasked }: { readonly warning: string; readonly unasked: string },
): Promise<void> {
  printHint(warning)
  const name =
    typedName ??
    (hasTerminal() ? await askLine(`Type the name of the vault to confirm (${vault}): `) : undefined)
  if (name === vault) return
  throw new CofferError(
    'forbidden',
    name === undefined ? unasked : 'That is not the name of the vault. Nothing was done.',
  )
}

/**
 * Asks the owner to confirm, with `--confirm` or by typing, that plaintext leaves the vault. Throws `forbidden`
 * otherwise.
 */
export function confirmClear(vault: string, confirm: string | undefined, warning: string): Promise<void> {
  const unasked = `Plaintext leaves the vault only when its owner confirms it. Add --confirm ${vault}`
  return confirmName(vault, confirm, { warning, unasked })
}
