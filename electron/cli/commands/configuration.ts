import { type Command, Option } from 'commander'
import type { SchemaOf } from '../actions/config.ts'
import type { EnvOptions } from '../actions/env.ts'
import type { ExportOpenApiOptions } from '../actions/export-openapi.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { type EnvFormatName, envFormatNames } from '../terminal/env-formats.ts'
import { createPublishedPortOption } from '../terminal/published-port.ts'
import { schemaName } from '../terminal/serve-options.ts'
import { DEFAULT_PORT, parsePort } from '../terminal/vault-options.ts'
import { jsonFailures } from './about.ts'

/** `coffer env`: prints a `.env` block that points programs at the vault. */
export function envCommand(): CofferCommand {
  return new CofferCommand('env')
    .withVault()
    .description('Print a .env block with the base URL, and the script tag for Elements')
    .addOption(
      new Option('--port <port>', 'port to print if the vault is not open; port of an in-memory vault')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(DEFAULT_PORT),
    )
    .addOption(createPublishedPortOption())
    .option('--ephemeral', 'print the variables of the running in-memory vault, with its keys')
    .addOption(createFormatOption('next', 'Next.js'))
    .addOption(createFormatOption('vite', 'Vite'))
    .addOption(createFormatOption('terraform', 'Terraform'))
    .addOption(createFormatOption('python', 'Python'))
    .addOption(
      new Option(
        '--as-hosted',
        'print what lets programs of a shell find coffer serve --as-hosted under the names of the service',
      ).conflicts([...envFormatNames]),
    )
    .option('--json', 'print the variables as one line of JSON for programs')
    .withHelp(`Examples:
  coffer env >> .env
  coffer env --ephemeral --port 4748 > .env.test
  coffer env --next >> .env.local
  coffer env --terraform
  eval "$(coffer env --as-hosted)"

An in-memory vault, started by coffer serve --ephemeral with the same data folder, is printed with its keys. Without
--ephemeral, it is printed only if --vault is not set, and either the vault on disk is not open or --port is the port of
the in-memory vault. On Windows, coffer env cannot find it: only the command that started it prints its keys.`)
    .action(async (options: EnvOptions, command: Command) =>
      options.asHosted
        ? (await import('../actions/hosted-env.ts')).printHostedEnv(options, command)
        : (await import('../actions/env.ts')).printEnv(options, command),
    )
}

/** The option that prints the variables of one kind of program. */
function createFormatOption(name: EnvFormatName, title: string): Option {
  return new Option(
    `--${name}`,
    `print the variables under the names that programs in ${title} read`,
  ).conflicts(envFormatNames.filter((other) => other !== name))
}

const schemas = ['config', 'seed', 'faults'] satisfies SchemaOf[]

/**
 * `coffer config`: prints a configuration file to start from, or a JSON schema with which editors check such a file.
 */
export function configCommand(): CofferCommand {
  return new CofferCommand('config')
    .description('Print a coffer.config.yaml to start from')
    .addOption(
      new Option(
        '--schema [file]',
        'print a JSON schema for editors instead: of the configuration, a seed or faults',
      )
        .choices(schemas)
        .preset('config'),
    )
    .withHelp(`Examples:
  coffer config > coffer.config.yaml
  coffer config --schema > ${schemaName}
  coffer config --schema seed > coffer.seed.schema.json

coffer serve and coffer run read the file in the working directory, or the one that --config names. Options and
environment variables override it. --no-config ignores it. Unless --config names it, the file cannot open a vault on disk
to pages, hosts, destinations, reactors or faults.`)
    .action(async ({ schema }: { schema?: SchemaOf }) =>
      (await import('../actions/config.ts')).printConfig(schema),
    )
}

const formats = ['openapi', 'http', 'postman'] satisfies ExportOpenApiOptions['format'][]

/** `coffer export-openapi`: prints the API as an OpenAPI document or a collection of requests. */
export function exportOpenapiCommand(): CofferCommand {
  return new CofferCommand('export-openapi')
    .description('Print the OpenAPI document, or a collection of requests for an editor or for Postman')
    .addOption(new Option('--format <format>', 'format of the output').choices(formats).default('openapi'))
    .addOption(
      new Option('--url <url>', 'base URL to use in the document')
        .env('COFFER_BASE_URL')
        .default(undefined, 'localhost, on the port from the settings'),
    )
    .option('--out <file>', 'file to write; - writes to standard output')
    .option(...jsonFailures)
    .withHelp(`Examples:
  coffer export-openapi --out openapi.json
  coffer export-openapi --format http --out coffer.http
  coffer export-openapi --format postman --out coffer.postman_collection.json`)
    .action(async (options: ExportOpenApiOptions) =>
      (await import('../actions/export-openapi.ts')).exportInterface(options),
    )
}
