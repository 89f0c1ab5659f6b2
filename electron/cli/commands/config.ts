import { Command, Option } from 'commander'
import type { SchemaOf } from '../actions/config.ts'
import { schemaName } from '../terminal/serve-options.ts'

const schemas = ['config', 'seed', 'faults'] satisfies SchemaOf[]

/** `coffer config`: prints a configuration file to begin with, or the schema that editors check it by. */
export function configCommand(): Command {
  return new Command('config')
    .description('Print a coffer.config.yaml to begin with')
    .addOption(
      new Option(
        '--schema [file]',
        'print the JSON schema of a file instead, for editors: of the configuration, a seed or faults',
      )
        .choices(schemas)
        .preset('config'),
    )
    .addHelpText(
      'after',
      `
Examples:
  coffer config > coffer.config.yaml
  coffer config --schema > ${schemaName}
  coffer config --schema seed > coffer.seed.schema.json

coffer serve and coffer run find the file in the working directory, or take it with --config. Options and environment
variables win over it. --no-config ignores it. Without --config, a file that was merely found opens no vault on disk to
pages, hosts, destinations, reactors or faults.`,
    )
    .action(async ({ schema }: { schema?: SchemaOf }) =>
      (await import('../actions/config.ts')).printConfig(schema),
    )
}
