import { Command, InvalidArgumentError, Option } from 'commander'
import { lengthOf } from '../../../shared/characters.ts'
import { CofferError } from '../../../shared/errors.ts'
import { type ApplicationType, applicationTypes } from '../../../shared/permissions.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { owner } from '../../engine/door/call.ts'
import { allApplications } from '../../host/all-applications.ts'
import { starterApplication } from '../../host/first-data/starter-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owners-engine.ts'
import { hintFor } from '../hint.ts'
import { sayForCertain } from '../terminal/broken-output.ts'
import { placeOf, say, withPlace } from '../terminal/common.ts'
import { printable } from '../terminal/printable.ts'
import { type InMemory, openOrJoin, withInMemory } from '../terminal/shared-vault.ts'

const LONGEST_NAME = 200

type Options = InMemory & { dataDir?: string; vault: string; json?: true }

/** `coffer keys`: application keys for when you have no management key (rule K-05). */
export function keysCommand(): Command {
  const keys = new Command('keys')
    .description('Create and list application keys')
    .addHelpText('after', '\nExamples:\n  coffer keys create --type private\n  coffer keys list')
  keys.addCommand(createCommand())
  keys.addCommand(listCommand())
  return keys
}

function createCommand(): Command {
  return withInMemory(withPlace(new Command('create')))
    .description('Create an application with a key and show the key')
    .addOption(
      new Option('--type <type>', 'what the key may do').choices([...applicationTypes]).makeOptionMandatory(),
    )
    .addOption(new Option('--name <name>', 'name of the application').argParser(parseName))
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer keys create --type private
  coffer keys create --type management --name "CI"
  coffer keys create --type private --ephemeral

The vault may be open in coffer serve or in the window of the same user: the key works there at once.`,
    )
    .action(async (options: Options & { type: ApplicationType; name?: string }) => {
      await withEngine(options, async (engine) => {
        const input = starterApplication(options.type, options.name)
        const { applications } = engine.as(owner)
        const { id, name, type, key, keys } = await applications.create(input)
        const text = options.json
          ? JSON.stringify({ id, name, type, key, keys })
          : `${printable(name)} (${type}), application ${id}\nKey, shown only once: ${key}`
        try {
          await sayForCertain(text)
        } catch (error) {
          // A key that nobody has seen must not keep working.
          await applications.remove({ id })
          const { code, message } = toCofferError(error)
          throw new CofferError(code, `${message} The application was deleted again.`, { cause: error })
        }
      })
    })
}

function listCommand(): Command {
  return withInMemory(withPlace(new Command('list')))
    .description('List applications and how many keys each has; the keys are never shown again')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText('after', '\nExamples:\n  coffer keys list\n  coffer keys list --json')
    .action(async (options: Options) => {
      await withEngine(options, async (engine) => {
        const all = await allApplications(engine)
        const rows = all.map(({ id, type, name, keys }) => ({ id, type, name, keys }))
        if (options.json) return say(JSON.stringify(rows))
        if (rows.length === 0) {
          const make = hintFor(placeOf(options), 'keys', 'create', '--type', 'private')
          return say(`No applications. Create one with: ${make}`)
        }
        for (const { id, type, name, keys } of rows) {
          say(
            `${id}  ${type.padEnd(10)}  ${keys.length} ${keys.length === 1 ? 'key ' : 'keys'}  ${printable(name)}`,
          )
        }
      })
    })
}

function parseName(name: string): string {
  if (name !== '' && lengthOf(name) <= LONGEST_NAME && name === printable(name)) return name
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_NAME} characters, without line breaks.`)
}

async function withEngine(options: Options, use: (engine: OwnersEngine) => Promise<void>): Promise<void> {
  await using vault = await openOrJoin(placeOf(options), options)
  await use(vault.engine)
}
