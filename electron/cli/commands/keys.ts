import { InvalidArgumentError, Option } from 'commander'
import { countCodePoints } from '../../../shared/characters.ts'
import { applicationTypes } from '../../../shared/permissions.ts'
import type {
  DeleteKeyOptions,
  KeysCommandOptions,
  NewKeyOptions,
  ReplaceKeyOptions,
} from '../actions/keys.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { sanitizeText } from '../terminal/printable.ts'
import { UsageError } from '../terminal/usage-error.ts'

const MAX_NAME_LENGTH = 200

/** `coffer keys`: manages application keys for an owner without a management key (rule K-05). */
export function keysCommand(): CofferCommand {
  const keys = new CofferCommand('keys')
    .description('Create, list, replace and delete application keys')
    .withHelp(
      'Examples:\n  coffer keys create --type private\n  coffer keys list\n  coffer keys replace Backend',
    )
  for (const each of [createCommand(), listCommand(), replaceCommand(), deleteCommand()])
    keys.addCommand(each)
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
    .option('--permission <names...>', 'permissions instead of those of the type')
    .option(
      '--rule <rules...>',
      "access rules instead of those of the type: 'CONTAINER TRANSFORM PERMISSIONS'",
    )
    .withJson()
    .withHelp(`Examples:
  coffer keys create --type private
  coffer keys create --type private --name Reports --rule '/pci/ mask token:read,token:search'
  coffer keys create --type management --permission log:read tenant:read
  coffer keys create --type management --name "CI"
  coffer keys create --type private --ephemeral
  coffer keys create --from 'https://portal.example.com/applications/create?name=Backend&permissions=token%3Acreate'

--from takes name, type and permissions from such a link, which many projects have in their README. --type and --name
override it. Quote the link, because & ends a command. Nothing is sent to the portal.

A rule applies to a container and everything in it. Its transform is redact, mask or reveal. The first of several rules
has the highest priority.

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

function replaceCommand(): CofferCommand {
  return new CofferCommand('replace')
    .withVault()
    .withInMemory()
    .argument('<application>', 'name or id of the application')
    .description('Create a new key for an application, show it, and delete its other keys')
    .option('--keep', 'keep the other keys, until you delete them with coffer keys delete --key-id')
    .withJson()
    .withHelp(`Examples:
  coffer keys replace Backend
  coffer keys replace Backend --keep

The other keys stop working at once, so programs need the new key first, unless --keep is set. An application has at
most three keys.`)
    .action(async (application: string, options: ReplaceKeyOptions) =>
      (await import('../actions/keys.ts')).replaceKeys(application, options),
    )
}

function deleteCommand(): CofferCommand {
  return new CofferCommand('delete')
    .withVault()
    .withInMemory()
    .argument('<application>', 'name or id of the application')
    .description('Delete an application and its keys, or one of its keys')
    .option('--key-id <id>', 'delete only this key; coffer keys list --json lists the ids')
    .option('--yes', 'do not ask for confirmation')
    .withJson()
    .withHelp(`Examples:
  coffer keys delete Reports
  coffer keys delete Backend --key-id 27262ed1-8d51-4a66-bca0-88c8ca2d1496 --yes

A deleted key stops working at once. What its programs created stays.`)
    .action(async (application: string, options: DeleteKeyOptions) =>
      (await import('../actions/keys.ts')).deleteKeys(application, options),
    )
}

function parseName(name: string): string {
  if (name !== '' && countCodePoints(name) <= MAX_NAME_LENGTH && name === sanitizeText(name)) return name
  throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME_LENGTH} characters, without line breaks.`)
}
