import { Command, Option } from 'commander'
import type { SchemaOf } from '../actions/config.ts'
import { schemaName } from '../terminal/serve-options.ts'

const schemas = ['config', 'seed', 'faults'] satisfies SchemaOf[]

/**
 * `coffer config`: prints a configuration file to start from, or a JSON schema with which editors check such a file.
 */
export function configCommand(): Command {
  return new Command('config')
    .description('Print a coffer.config.yaml to start from')
    .addOption(
      new Option(
        '--schema [file]',
        'print a JSON schema for editors instead: of the configuration, a seed or faults',
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

coffer serve and coffer run read the file in the working directory, or the one that --config names. Options and
environment variables override it. --no-config ignores it. Unless --config names it, the file cannot open a vault on disk
to pages, hosts, destinations, reactors or faults.`,
    )
    .action(async ({ schema }: { schema?: SchemaOf }) =>
      (await import('../actions/config.ts')).printConfig(schema),
    )
}
