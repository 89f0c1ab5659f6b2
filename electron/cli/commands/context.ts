import { InvalidArgumentError } from 'commander'
import type { AddContextOptions, JsonOption } from '../actions/context.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'

/** `coffer context`: names several servers, and selects one for the next commands. */
export function contextCommand(): CofferCommand {
  const context = new CofferCommand('context')
    .description('Name several servers or vaults, and select one for the next commands')
    .withHelp(`Examples:
  coffer env > work.env
  coffer context add work --env-file work.env
  coffer context use work
  COFFER_CONTEXT=work coffer api /v2/tokens
  coffer context use`)
  for (const each of [addCommand(), selectCommand(), listCommand(), removeCommand()]) context.addCommand(each)
  return context
}

function addCommand(): CofferCommand {
  return new CofferCommand('add')
    .argument('<name>', 'name of the context', parseName)
    .description('Add a context, or replace the one of the same name')
    .requiredOption('--env-file <file>', 'file with variables, as coffer env prints them')
    .withJson()
    .withHelp(`Examples:
  coffer context add work --env-file work.env

The file is read by each command, and nothing in it is copied. It may set COFFER_BASE_URL, COFFER_API_KEY,
COFFER_PUBLIC_KEY, COFFER_MANAGEMENT_KEY, COFFER_DATA_DIR and COFFER_VAULT. Options and variables of the environment
override it.`)
    .action(async (name: string, options: AddContextOptions) =>
      (await import('../actions/context.ts')).addContext(name, options),
    )
}

function selectCommand(): CofferCommand {
  return new CofferCommand('use')
    .argument('[name]', 'name of the context; none by default')
    .description('Select the context of the next commands, or none')
    .withJson()
    .withHelp('Examples:\n  coffer context use work\n  coffer context use')
    .action(async (name: string | undefined, options: JsonOption) =>
      (await import('../actions/context.ts')).selectContext(name, options),
    )
}

function listCommand(): CofferCommand {
  return new CofferCommand('list')
    .description('List the contexts')
    .withJson()
    .withHelp('Examples:\n  coffer context list')
    .action(async (options: JsonOption) => (await import('../actions/context.ts')).listContexts(options))
}

function removeCommand(): CofferCommand {
  return new CofferCommand('remove')
    .argument('<name>', 'name of the context')
    .description('Remove a context; its file stays')
    .withJson()
    .withHelp('Examples:\n  coffer context remove work')
    .action(async (name: string, options: JsonOption) =>
      (await import('../actions/context.ts')).removeContext(name, options),
    )
}

function parseName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots, - or _.')
}
