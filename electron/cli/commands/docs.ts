import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer docs`: lists and prints the guides. */
export function docsCommand(): CofferCommand {
  return new CofferCommand('docs')
    .argument('[guide]', 'name of a guide, such as webhooks')
    .description('List the guides, or print one')
    .withJson()
    .withHelp(`Examples:
  coffer docs
  coffer docs webhooks | less

The reference of the API is at /docs of a running Coffer, such as http://127.0.0.1:4747/docs.`)
    .action(async (guide: string | undefined, options: { json?: true }) =>
      (await import('../actions/docs.ts')).printGuide(guide, options),
    )
}
