import { CofferError } from '../../../shared/errors.ts'
import type { ApplicationType } from '../../../shared/permissions.ts'
import type { NewApplication } from '../../../shared/schemas/application.ts'
import { parseInput } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { owner, toCofferError } from '../../engine/index.ts'
import { listAllApplications } from '../../host/all-applications.ts'
import { locateError } from '../../host/files/member-location.ts'
import { createStarterApplication } from '../../host/initial-data/starter-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import { formatVaultCommand } from '../hint.ts'
import { printSafely } from '../terminal/broken-output.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { sanitizeText } from '../terminal/printable.ts'
import { openOrJoin } from '../terminal/shared-vault.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'

export type NewKeyOptions = KeysCommandOptions & {
  readonly type?: ApplicationType
  readonly name?: string
  readonly from?: string
}

export async function createKey(options: NewKeyOptions): Promise<void> {
  const input = await describeApplication(options)
  await withEngine(options, async (engine) => {
    const { applications } = engine.as(owner)
    const { id, name, type, key, keys } = await applications.create(input)
    const text = options.json
      ? JSON.stringify({ id, name, type, key, keys })
      : `${sanitizeText(name)} (${type}), application ${id}\nKey, shown only once: ${key}`
    try {
      await printSafely(text)
    } catch (error) {
      // A key that was never shown must not keep working.
      await applications.remove({ id })
      const { code, message } = toCofferError(error)
      throw new CofferError(code, `${message} The application was deleted again.`, { cause: error })
    }
  })
}

/** Returns the application to create: that of the portal link, or else the starter application of the type. */
async function describeApplication({ from, type, name }: NewKeyOptions): Promise<NewApplication> {
  if (from === undefined) return createStarterApplication(type ?? 'private', name)
  const { portalLink } = await import('../../host/initial-data/portal-link.ts')
  const linked = parseNamed('--from', portalLink, from)
  return { ...linked, name: name ?? linked.name, type: type ?? linked.type }
}

/** Parses the value of an option. Throws `invalid` with messages that begin with the name of the option. */
function parseNamed<T extends z.ZodType>(option: string, schema: T, value: string): z.output<T> {
  try {
    return parseInput(schema, value)
  } catch (error) {
    throw locateError(toCofferError(error), (path) => path, option)
  }
}

export async function listKeys(options: KeysCommandOptions): Promise<void> {
  await withEngine(options, async (engine) => {
    const all = await listAllApplications(engine)
    const rows = all.map(({ id, type, name, keys }) => ({ id, type, name, keys }))
    if (options.json) return printLine(JSON.stringify(rows))
    if (rows.length === 0) {
      const make = formatVaultCommand(toVaultLocation(options), 'keys', 'create', '--type', 'private')
      return printLine(`No applications. Create one with: ${make}`)
    }
    for (const { id, type, name, keys } of rows) {
      printLine(
        `${id}  ${type.padEnd(10)}  ${keys.length} ${keys.length === 1 ? 'key ' : 'keys'}  ${sanitizeText(name)}`,
      )
    }
  })
}

export type KeysCommandOptions = InMemory & { dataDir?: string; vault: string; json?: true }

async function withEngine(
  options: KeysCommandOptions,
  use: (engine: OwnersEngine) => Promise<void>,
): Promise<void> {
  await using vault = await openOrJoin(toVaultLocation(options), options)
  await use(vault.engine)
}
