import { Command } from 'commander'
import { schemaName } from '../terminal/serve-options.ts'

/** `coffer config`: prints a configuration file to begin with, or the schema that editors check it by. */
export function configCommand(): Command {
  return new Command('config')
    .description('Print a coffer.config.yaml to begin with')
    .option('--schema', 'print the JSON schema of the file instead, for editors')
    .addHelpText(
      'after',
      `
Examples:
  coffer config > coffer.config.yaml
  coffer config --schema > ${schemaName}

coffer serve and coffer run find the file in the working directory, or take it with --config. Options and environment
variables win over it. --no-config ignores it. Without --config, a file that was merely found opens no vault on disk to
pages, hosts, destinations, reactors or faults.`,
    )
    .action(async ({ schema }: { schema?: true }) =>
      (await import('../actions/config.ts')).printConfig(schema),
    )
}
