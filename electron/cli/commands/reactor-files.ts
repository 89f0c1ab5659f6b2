import { Command } from 'commander'
import type { ReactorFilesOptions } from '../actions/reactor-files.ts'
import { withServerOptions } from '../terminal/server-options.ts'

/** `coffer reactor push`: stores the reactors of a folder in a running Coffer. */
export function pushFolderCommand(): Command {
  return withFolder(new Command('push'))
    .description('Store each NAME.js in a folder as a reactor in a running Coffer')
    .addHelpText(
      'after',
      `
Examples:
  coffer reactor push reactors --key key_local_mgt_…
  COFFER_MANAGEMENT_KEY=key_local_mgt_… coffer reactor push reactors --yes

A reactors.yml in the folder may name applications and configuration. What it does not name stays unchanged, and
so does a configuration entry without a value. Before it replaces a stored reactor, the command shows the changes and
asks for confirmation, unless --yes is set. If a file cannot be compiled, nothing is pushed. Reactors without a file are
not changed.`,
    )
    .action(async (folder: string, options: ReactorFilesOptions) =>
      (await import('../actions/reactor-files.ts')).pushFolder(folder, options),
    )
}

/** `coffer reactor pull`: writes the reactors of a running Coffer to a folder. */
export function pullFolderCommand(): Command {
  return withFolder(new Command('pull'))
    .description('Write each reactor in a running Coffer to NAME.js in a folder')
    .addHelpText(
      'after',
      `
Examples:
  coffer reactor pull reactors --key key_local_mgt_…

Names of applications and configuration entries are written to reactors.yml; values of entries are not written. Before
it changes a file, the command shows the changes and asks for confirmation, unless --yes is set. Files without a reactor
are not changed.`,
    )
    .action(async (folder: string, options: ReactorFilesOptions) =>
      (await import('../actions/reactor-files.ts')).pullFolder(folder, options),
    )
}

function withFolder(command: Command): Command {
  return withServerOptions(command)
    .argument('<dir>', 'the folder')
    .option('--yes', 'replace existing reactors or files without asking')
    .option('--json', 'print one line of JSON for programs')
}
