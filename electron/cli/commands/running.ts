import type { Command } from 'commander'
import type { OpenOptions, StopOptions } from '../actions/running.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer open`: opens the window of a running Coffer in the browser. */
export function openCommand(): CofferCommand {
  return new CofferCommand('open')
    .withVault()
    .withInMemory()
    .description('Open the window of coffer serve --console in your browser')
    .option('--print', 'print a link that works once, instead of opening a browser')
    .option('--json', 'print the link as one line of JSON for programs')
    .withHelp(`Examples:
  coffer open
  coffer open --vault work --print

Unless the vault is in memory, its keychain or passphrase is needed, as for everything that can show plaintext.`)
    .action(async (options: OpenOptions, command: Command) =>
      (await import('../actions/running.ts')).openWindow(options, command),
    )
}

/** `coffer stop`: stops a running `coffer serve`. */
export function stopCommand(): CofferCommand {
  return new CofferCommand('stop')
    .withVault()
    .withInMemory()
    .description('Stop coffer serve, and wait until it has ended')
    .withJson()
    .withHelp(`Examples:
  coffer stop
  coffer stop --vault work
  coffer stop --ephemeral --port 4748

The vault is the one on disk if it is open, and otherwise the running in-memory vault, which is deleted. Every
acknowledged write is on disk. If the vault is open in the window, close it there.`)
    .action(async (options: StopOptions, command: Command) =>
      (await import('../actions/running.ts')).stopServing(options, command),
    )
}
