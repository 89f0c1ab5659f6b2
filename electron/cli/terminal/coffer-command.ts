import { Command, Option } from 'commander'
import { getDataDirectory } from '../../host/files/data-dir.ts'
import { DEFAULT_PORT, parsePort, parseVaultName } from './vault-options.ts'

/** A command of the program, with the options that many commands share. */
export class CofferCommand extends Command {
  /** Adds the options of every command that works on a vault. */
  withVault(): this {
    return this.withDataDir()
      .addOption(
        new Option('--vault <name>', 'name of the vault')
          .env('COFFER_VAULT')
          .argParser(parseVaultName)
          .default('default'),
      )
      .withVerbose()
  }

  withDataDir(): this {
    return this.addOption(
      new Option('--data-dir <dir>', 'folder that holds the vaults')
        .env('COFFER_DATA_DIR')
        .default(undefined, getDataDirectory()),
    )
  }

  withVerbose(): this {
    return this.option('--verbose', 'also print internal errors, without any data, on standard error')
  }

  /** Adds the options that select a running in-memory vault. */
  withInMemory(): this {
    return this.option('--ephemeral', 'use the running in-memory vault').addOption(
      new Option('--port <port>', 'port of the in-memory vault, if several are running').argParser(parsePort),
    )
  }

  /** Adds the option that selects another server instead of a vault. */
  withUrl(): this {
    return this.addOption(
      new Option('--url <url>', 'base URL of a running Coffer, instead of that of the vault').env(
        'COFFER_BASE_URL',
      ),
    )
  }

  /** Adds the options of every command that talks to a running Coffer. */
  withServer(): this {
    return this.addOption(
      new Option('--url <url>', 'base URL of the running Coffer')
        .env('COFFER_BASE_URL')
        .default(`http://127.0.0.1:${DEFAULT_PORT}`),
    ).addOption(
      new Option(
        '--key <key>',
        'management key; not needed for an in-memory vault that you have started',
      ).env('COFFER_MANAGEMENT_KEY'),
    )
  }

  /** Adds the option that skips the confirmation. */
  withYes(): this {
    return this.option('--yes', 'do not ask for confirmation, even if neither --key nor --url is set')
  }

  /** Adds the options of commands that check statements against a server. */
  withRun(): this {
    return this.option('--only <area...>', 'check only these areas, such as tokens')
      .option('--report <file>', 'also write the report to a file: .html, .json, .md or .txt')
      .option('--dry-run', 'list what would be sent, and send nothing')
      .option('--yes', 'do not ask before writing to a server on another machine')
      .withJson()
  }

  withJson(): this {
    return this.option('--json', 'print one line of JSON for programs')
  }

  /** Adds examples, and whatever else there is to know, below the options. */
  withHelp(text: string): this {
    return this.addHelpText('after', `\n${text}`)
  }
}
