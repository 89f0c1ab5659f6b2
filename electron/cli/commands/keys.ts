import { InvalidArgumentError, Option } from 'commander'
import { countCodePoints } from '../../../shared/characters.ts'
import { type ApplicationType, applicationTypes } from '../../../shared/permissions.ts'
import type { KeysCommandOptions } from '../actions/keys.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { sanitizeText } from '../terminal/printable.ts'

const MAX_NAME_LENGTH = 200

/** `coffer keys`: manages application keys for an owner without a management key (rule K-05). */
export function keysCommand(): CofferCommand {
  const keys = new CofferCommand('keys')
    .description('Create and list application keys')
    .withHelp('Examples:\n  coffer keys create --type private\n  coffer keys list')
  keys.addCommand(createCommand())
  keys.addCommand(listCommand())
  return keys
}

function createCommand(): CofferCommand {
  return new CofferCommand('create')
    .withVault()
    .withInMemory()
    .description('Create an application with a key and show the key')
    .addOption(
      new Option('--type <type>', 'type of the application')
        .choices([...applicationTypes])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--name <name>', 'name of the application').argParser(parseName))
    .withJson()
    .withHelp(`Examples:
  coffer keys create --type private
  coffer keys create --type management --name "CI"
  coffer keys create --type private --ephemeral

The vault may be open in coffer serve or in the window of the same user: the key works immediately.`)
    .action(async (options: KeysCommandOptions & { type: ApplicationType; name?: string }) =>
      (await import('../actions/keys.ts')).createKey(options),
    )
}

function listCommand(): CofferCommand {
  return new CofferCommand('list')
    .withVault()
    .withInMemory()
    .description('List applications and how many keys each has; keys are shown only on creation')
    .withJson()
    .withHelp('Examples:\n  coffer keys list\n  coffer keys list --json')
    .action(async (options: KeysCommandOptions) => (await import('../actions/keys.ts')).listKeys(options))
}

function parseName(name: string): string {
  if (name !== '' && countCodePoints(name) <= MAX_NAME_LENGTH && name === sanitizeText(name)) return name
  throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME_LENGTH} characters, without line breaks.`)
}
