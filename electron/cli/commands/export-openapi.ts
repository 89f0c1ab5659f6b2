import { Command, Option } from 'commander'
import { dataDirectory } from '../../host/files/data-dir.ts'
import { readSettingsFile } from '../../host/files/settings-file.ts'
import { httpFile } from '../../http/docs/http-file.ts'
import { postmanCollection } from '../../http/docs/postman.ts'
import { openApi } from '../../http/openapi.ts'
import { say } from '../terminal/common.ts'
import { writeFile } from '../terminal/write-file.ts'

const formats = {
  openapi: (url: string) => JSON.stringify(openApi(url), null, 2),
  http: httpFile,
  postman: (url: string) => JSON.stringify(postmanCollection(url), null, 2),
} satisfies Record<string, (url: string) => string>

type Options = { format: keyof typeof formats; url?: string; out?: string }

/** `coffer export-openapi`: prints the interface as an OpenAPI document or a collection of requests. */
export function exportOpenapiCommand(): Command {
  return new Command('export-openapi')
    .description('Print the OpenAPI document, or a collection of requests for an editor or for Postman')
    .addOption(
      new Option('--format <format>', 'what to print').choices(Object.keys(formats)).default('openapi'),
    )
    .addOption(
      new Option('--url <url>', 'base URL to use in the document')
        .env('COFFER_BASE_URL')
        .default(undefined, 'localhost, on the port from the settings'),
    )
    .option('--out <file>', 'write it to a file; - writes to standard output')
    .addHelpText(
      'after',
      `
Examples:
  coffer export-openapi --out openapi.json
  coffer export-openapi --format http --out coffer.http
  coffer export-openapi --format postman --out coffer.postman_collection.json`,
    )
    .action(({ format, url = configuredUrl(), out }: Options) => {
      const text = formats[format](url).trimEnd()
      if (out === undefined || out === '-') say(text)
      else writeFile(out, `${text}\n`)
    })
}

/** Where the listener is by default. */
function configuredUrl(): string {
  return `http://127.0.0.1:${readSettingsFile(dataDirectory()).content.settings.port}`
}
