import { Command, Option } from 'commander'
import { httpFile } from '../http/docs/http-file.ts'
import { postmanCollection } from '../http/docs/postman.ts'
import { openApi } from '../http/openapi.ts'
import { defaultPort, say } from './common.ts'
import { writeFile } from './write-file.ts'

const formats = {
  openapi: (url: string) => JSON.stringify({ ...openApi(), servers: [{ url }] }, null, 2),
  http: httpFile,
  postman: (url: string) => JSON.stringify(postmanCollection(url), null, 2),
} satisfies Record<string, (url: string) => string>

type Options = { format: keyof typeof formats; url: string; out?: string }

/** `coffer export-openapi`: the interface as a document, or as a collection of requests to send. */
export function exportOpenapiCommand(): Command {
  return new Command('export-openapi')
    .description('Print the OpenAPI document, or a collection of requests for an editor or for Postman')
    .addOption(
      new Option('--format <format>', 'what to print').choices(Object.keys(formats)).default('openapi'),
    )
    .addOption(
      new Option('--url <url>', 'base URL to name')
        .env('COFFER_BASE_URL')
        .default(`http://127.0.0.1:${defaultPort}`),
    )
    .option('--out <file>', 'write it to a file')
    .addHelpText(
      'after',
      `
Examples:
  coffer export-openapi --out openapi.json
  coffer export-openapi --format http --out coffer.http
  coffer export-openapi --format postman --out coffer.postman_collection.json`,
    )
    .action(({ format, url, out }: Options) => {
      const text = formats[format](url).trimEnd()
      if (out === undefined) say(text)
      else writeFile(out, `${text}\n`)
    })
}
