import { Command, Option } from 'commander'
import type { ExportOpenApiOptions } from '../actions/export-openapi.ts'

const formats = ['openapi', 'http', 'postman'] satisfies ExportOpenApiOptions['format'][]

/** `coffer export-openapi`: prints the API as an OpenAPI document or a collection of requests. */
export function exportOpenapiCommand(): Command {
  return new Command('export-openapi')
    .description('Print the OpenAPI document, or a collection of requests for an editor or for Postman')
    .addOption(new Option('--format <format>', 'format of the output').choices(formats).default('openapi'))
    .addOption(
      new Option('--url <url>', 'base URL to use in the document')
        .env('COFFER_BASE_URL')
        .default(undefined, 'localhost, on the port from the settings'),
    )
    .option('--out <file>', 'file to write; - writes to standard output')
    .addHelpText(
      'after',
      `
Examples:
  coffer export-openapi --out openapi.json
  coffer export-openapi --format http --out coffer.http
  coffer export-openapi --format postman --out coffer.postman_collection.json`,
    )
    .action(async (options: ExportOpenApiOptions) =>
      (await import('../actions/export-openapi.ts')).exportInterface(options),
    )
}
