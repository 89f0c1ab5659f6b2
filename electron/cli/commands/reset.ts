import { Command } from 'commander'
import { type SandboxOptions, withSandbox } from '../terminal/sandbox.ts'

/** `coffer reset`: returns a running in-memory vault to its initial state. */
export function resetCommand(): Command {
  return withSandbox(new Command('reset'))
    .description('Return a running in-memory vault to its seed, or to the state it started in')
    .addHelpText(
      'after',
      `
Examples:
  coffer reset --key key_local_mgt_…
  COFFER_BASE_URL=http://127.0.0.1:5000 COFFER_MANAGEMENT_KEY=key_local_mgt_… coffer reset`,
    )
    .action(async (options: SandboxOptions) => {
      const { askSandbox } = await import('../terminal/ask-sandbox.ts')
      await askSandbox(options, 'POST', '/_coffer/reset')
    })
}
