import type { Command } from 'commander'
import { counted } from '../../../shared/counted.ts'
import { CofferError } from '../../../shared/errors.ts'
import { usageReport } from '../../../shared/schemas/tenant.ts'
import { askSandbox, findSandboxKey } from '../terminal/ask-sandbox.ts'
import { note, say } from '../terminal/common.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import type { DiscardOptions, SandboxOptions } from '../terminal/sandbox.ts'
import { isGiven } from '../terminal/serve-options.ts'

/**
 * Returns a running vault in memory to an earlier state, which discards what it holds now, and says what was done. A
 * vault that neither a key nor an address names is whichever happens to run, so its owner is asked. Throws `forbidden`
 * where nobody agrees, and what `askSandbox` throws.
 */
export async function returnVault(
  options: DiscardOptions,
  command: Command,
  { path, to, snapshot }: { readonly path: string; readonly to: string; readonly snapshot?: string },
): Promise<void> {
  const { url, yes, json } = options
  const there = { url, key: await findSandboxKey(options) }
  const tokens = await countTokens(there)
  const vault = `The vault in memory at ${url}`
  const isNamed = isGiven(command, 'url') || isGiven(command, 'key')
  if (!isNamed && !yes) {
    const holds = tokens === null ? '' : `, which holds ${counted(tokens, 'token')},`
    await confirmReturn(`${vault}${holds} will return to ${to}. What has changed since is lost.`)
  }
  await askSandbox(there, 'POST', path)
  const left = await countTokens(there)
  if (json)
    return say(
      JSON.stringify({
        url,
        ...(snapshot !== undefined && { snapshot }),
        tokens_before: tokens,
        tokens: left,
      }),
    )
  const counts =
    tokens === null || left === null ? '' : ` It held ${counted(tokens, 'token')} and now holds ${left}.`
  say(`${vault} was returned to ${to}.${counts}`)
}

async function confirmReturn(warning: string): Promise<void> {
  note(warning)
  const answer = hasTerminal() ? await askLine('Return it? Type yes: ') : undefined
  if (answer === 'yes') return
  const how = answer === undefined ? ' Name the vault with --key or --url, or add --yes.' : ''
  throw new CofferError('forbidden', `Nothing was changed.${how}`)
}

/** How many tokens a vault holds; null where the key may not count them, or nothing answers: the return itself says so. */
async function countTokens(options: SandboxOptions): Promise<number | null> {
  try {
    return usageReport.parse(await askSandbox(options, 'GET', '/tenants/self/reports/usage')).total_tokens
  } catch {
    return null
  }
}
