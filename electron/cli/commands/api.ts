import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiOptions } from '../actions/api.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer api`: sends a request to a running Coffer, with its address and a key filled in. */
export function apiCommand(): CofferCommand {
  return new CofferCommand('api')
    .withVault()
    .withInMemory()
    .withUrl()
    .description('Send a request to a running Coffer, with its address and a key filled in')
    .argument('<request...>', 'the method, which may be left out, and the path')
    .option('--key <key>', 'application key to send, instead of one that fits')
    .option('--as <application>', 'name or id of the application whose rights to use')
    .addOption(
      new Option(
        '-f, --field <name=value>',
        'add a text to the body, or to the query of a GET; repeatable',
      ).argParser(collectField),
    )
    .addOption(
      new Option(
        '-F, --typed <name=value>',
        'like -f, but JSON is not text, and @FILE is the content of a file',
      ).argParser(collectField),
    )
    .addOption(new Option('-H, --header <name:value>', 'add a header; repeatable').argParser(collectHeader))
    .option('-d, --data <body>', 'the body')
    .option('--input <file>', 'file with the body; - reads standard input')
    .option('-i, --include', 'also print the status and the headers')
    .addOption(
      new Option('--jq <filter>', 'print only what a jq filter selects, text without quotes').conflicts(
        'json',
      ),
    )
    .option('--paginate', 'print all pages of a list, one after the other')
    .option('--json', 'print status, headers and body as one line of JSON for programs')
    .withHelp(`Examples:
  coffer api /v2/tokens
  coffer api /tokens -f type=card_number -f data=4242424242424242
  coffer api /tokens -f type=card -F 'data={"number":"4242424242424242","expiration_month":12,"expiration_year":2030}'
  coffer api PATCH /tokens/<id> -f 'metadata[order]=17'
  coffer api GET /v2/tokens -f type=card --paginate --jq '.data[].id'
  coffer api /v2/tokens/search -d '{"query":"data:\\"ada@example.com\\""}'
  coffer api /reactors --input reactor.json --ephemeral
  coffer api DELETE /tokens/<id> -i

With a body, the method is POST unless it is named, and otherwise GET. -f 'data[number]=1' sets a member of a member, and
-f 'permissions[]=token:read' adds to a list. A path may begin with /v2 or /api, as for programs.

Without --key, the request goes to the open vault with the rights of the oldest application that may send it, or of
the one that --as names. The rights are lent for this request: no key is stored or printed. The vault is the one on disk
if it is open in coffer serve or in the window, and otherwise the running in-memory vault. For another server, set
--url and a key, or COFFER_BASE_URL and COFFER_API_KEY, COFFER_PUBLIC_KEY or COFFER_MANAGEMENT_KEY, as coffer run does.

A run of react-async goes on after the request, so that for a vault on disk it needs a key.

If the status is 400 or above, the exit code is 1, and the body is printed all the same.`)
    .action(async (words: string[], options: ApiOptions, command: Command) =>
      (await import('../actions/api.ts')).callApi(words, options, command),
    )
}

function collectField(text: string, before: readonly string[] = []): string[] {
  if (/^[^=]+=/.test(text)) return [...before, text]
  throw new InvalidArgumentError('It must be NAME=VALUE, such as type=card.')
}

function collectHeader(text: string, before: readonly string[] = []): string[] {
  if (/^[\w-]+:/.test(text)) return [...before, text]
  throw new InvalidArgumentError("It must be 'NAME: VALUE'.")
}
