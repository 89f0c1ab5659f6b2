import type { Command } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { usageReport } from '../../../shared/schemas/tenant.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { findServerKey, requestServer } from '../terminal/request-server.ts'
import { isSet } from '../terminal/serve-options.ts'
import type { DiscardOptions, ServerOptions } from '../terminal/server-options.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'

/**
 * Returns a running in-memory vault to an earlier state, which discards its content, and prints the result. If
 * neither a key nor a URL selects the vault, the owner must confirm, because the vault at the default URL may not be
 * the intended one. Throws `forbidden` without that confirmation, and whatever `requestServer` throws.
 */
export async function returnVault(
  options: DiscardOptions,
  command: Command,
  { path, to, snapshot }: { readonly path: string; readonly to: string; readonly snapshot?: string },
): Promise<void> {
  const { url, yes, json } = options
  const target = { url, key: await findServerKey(options) }
  const tokens = await countTokens(target)
  const vault = `The in-memory vault at ${url}`
  const isTargetSet = isSet(command, 'url') || isSet(command, 'key')
  if (!isTargetSet && !yes) {
    const holds = tokens === null ? '' : `, which holds ${formatCount(tokens, 'token')},`
    await confirmReturn(`${vault}${holds} will return to ${to}. Later changes will be lost.`)
  }
  await requestServer(target, 'POST', path)
  const remaining = await countTokens(target)
  if (json)
    return printLine(
      JSON.stringify({
        url,
        ...(snapshot !== undefined && { snapshot }),
        tokens_before: tokens,
        tokens: remaining,
      }),
    )
  const counts =
    tokens === null || remaining === null
      ? ''
      : ` It held ${formatCount(tokens, 'token')} and now holds ${remaining}.`
  printLine(`${vault} was returned to ${to}.${counts}`)
}

async function confirmReturn(warning: string): Promise<void> {
  printHint(warning)
  const answer = hasTerminal() ? await askLine('Discard them? Type yes: ') : undefined
  if (answer === 'yes') return
  const how = answer === undefined ? ' Name the vault with --key or --url, or add --yes.' : ''
  throw new CofferError('forbidden', `Nothing was changed.${how}`)
}

/**
 * Counts the tokens of a vault. Returns null if the request fails, for example because the key lacks the permission or
 * nothing responds: the next request reports the error.
 */
async function countTokens(options: ServerOptions): Promise<number | null> {
  try {
    return usageReport.parse(await requestServer(options, 'GET', '/tenants/self/reports/usage')).total_tokens
  } catch {
    return null
  }
}
