import { InvalidArgumentError, Option } from 'commander'
import { countCodePoints } from '../../../shared/characters.ts'
import { applicationTypes } from '../../../shared/permissions.ts'
import type { KeysCommandOptions, NewKeyOptions } from '../actions/keys.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { sanitizeText } from '../terminal/printable.ts'
import { UsageError } from '../terminal/usage-error.ts'

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
    .addOption(new Option('--type <type>', 'type of the application').choices([...applicationTypes]))
    .option('--from <link>', 'create what a link to the portal’s form for applications describes')
    .addOption(new Option('--name <name>', 'name of the application').argParser(parseName))
    .withJson()
    .withHelp(`Examples:
  coffer keys create --type private
  coffer keys create --type management --name "CI"
  coffer keys create --type private --ephemeral
  coffer keys create --from 'https://portal.example.com/applications/create?name=Backend&permissions=token%3Acreate'

--from takes name, type and permissions from such a link, which many projects have in their README. --type and --name
override it. Quote the link, because & ends a command. Nothing is sent to the portal.

The vault may be open in coffer serve or in the window of the same user: the key works immediately.`)
    .action(async (options: NewKeyOptions) => {
      if (!options.type && options.from === undefined) {
        throw new UsageError('Add --type private, public or management, or --from with a portal link.')
      }
      return (await import('../actions/keys.ts')).createKey(options)
    })
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
