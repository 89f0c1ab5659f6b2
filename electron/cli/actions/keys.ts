import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import type { ApplicationType } from '../../../shared/permissions.ts'
import type { NewApplication } from '../../../shared/schemas/application.ts'
import { newRule, permissionList } from '../../../shared/schemas/rule.ts'
import { parseInput } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { owner, toCofferError } from '../../engine/index.ts'
import { listAllApplications } from '../../host/all-applications.ts'
import { locateError } from '../../host/files/member-location.ts'
import { createStarterApplication } from '../../host/initial-data/starter-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import { formatVaultCommand } from '../hint.ts'
import { printSafely } from '../terminal/broken-output.ts'
import { findApplication } from '../terminal/choose-application.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { sanitizeText } from '../terminal/printable.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { openOrJoin } from '../terminal/shared-vault.ts'
import { createTable } from '../terminal/table.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

export type NewKeyOptions = KeysCommandOptions & {
  readonly type?: ApplicationType
  readonly name?: string
  readonly from?: string
  readonly permission?: string[]
  readonly rule?: string[]
}

export type ReplaceKeyOptions = KeysCommandOptions & { readonly keep?: true }

export type DeleteKeyOptions = KeysCommandOptions & { readonly keyId?: string; readonly yes?: true }

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

/**
 * Returns the application to create: that of the portal link, or else the starter application of the type, with the
 * permissions and rules of the options.
 */
async function describeApplication(options: NewKeyOptions): Promise<NewApplication> {
  const application = await describeDefault(options)
  const { permission, rule } = options
  if (permission === undefined && rule === undefined) return application
  const permissions = permission === undefined ? [] : parseNamed('--permission', permissionList, permission)
  const rules = (rule ?? []).map((text, at) => parseNamed('--rule', newRule, toRule(text, at)))
  return { ...application, permissions, rules }
}

/** Reads a rule such as `/pci/ mask token:read,token:create`. */
function toRule(text: string, at: number): unknown {
  const [container, transform, permissions = '', ...others] = text.trim().split(/\s+/)
  if (permissions === '' || others.length > 0)
    throw new UsageError(
      "--rule is 'CONTAINER TRANSFORM PERMISSIONS', such as '/pci/ mask token:read,token:search'.",
    )
  return { priority: at + 1, container, transform, permissions: permissions.split(',') }
}

async function describeDefault({ from, type, name }: NewKeyOptions): Promise<NewApplication> {
  if (from === undefined) return createStarterApplication(type ?? 'private', name)
  const { portalLink } = await import('../../host/initial-data/portal-link.ts')
  const linked = parseNamed('--from', portalLink, from)
  return { ...linked, name: name ?? linked.name, type: type ?? linked.type }
}

/** Parses the value of an option. Throws `invalid` with messages that begin with the name of the option. */
function parseNamed<T extends z.ZodType>(option: string, schema: T, value: unknown): z.output<T> {
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
    createTable([{ head: 'ID' }, { head: 'TYPE' }, { head: 'KEYS' }, { head: 'NAME' }])(
      rows.map(({ id, type, name, keys }) => [id, type, formatCount(keys.length, 'key'), name]),
    )
  })
}

/** Creates a key for an application and shows it, and deletes its other keys unless `keep` is set. */
export async function replaceKeys(named: string, options: ReplaceKeyOptions): Promise<void> {
  await withEngine(options, async (engine) => {
    const { id: application_id, name, type, keys: before } = await findApplication(engine, named)
    const { keys } = engine.as(owner)
    const [newest] = before
    const { id, key } = await (newest === undefined
      ? keys.create({ id: application_id })
      : keys.replace({ id: application_id, keyId: newest.id }))
    const deleted = options.keep ? 0 : before.length
    const others = deleted === 0 ? '' : `\n${formatCount(deleted, 'older key')} deleted.`
    const text = options.json
      ? JSON.stringify({ id: application_id, name, type, key_id: id, key, deleted })
      : `${sanitizeText(name)} (${type}), application ${application_id}\nKey, shown only once: ${key}${others}`
    try {
      await printSafely(text)
    } catch (error) {
      // A key that was never shown must not keep working, and the others still do.
      await keys.remove({ id: application_id, keyId: id })
      throw error
    }
    if (!options.keep) for (const each of before) await keys.remove({ id: application_id, keyId: each.id })
  })
}

/** Deletes an application, or one of its keys, after the owner has confirmed it. */
export async function deleteKeys(named: string, options: DeleteKeyOptions): Promise<void> {
  const { keyId, json, yes } = options
  await withEngine(options, async (engine) => {
    const { id, name, type, keys } = await findApplication(engine, named)
    const what =
      keyId === undefined
        ? `The application ${sanitizeText(name)} (${type}) and ${formatCount(keys.length, 'key')}`
        : `One key of ${sanitizeText(name)} (${type})`
    if (!yes) await confirmDeletion(`${what} will be deleted, and what uses it will stop working.`)
    if (keyId === undefined) await engine.as(owner).applications.remove({ id })
    else await engine.as(owner).keys.remove({ id, keyId })
    if (json) return printLine(JSON.stringify({ id, name, type, deleted: keyId ?? 'application' }))
    printLine(`${what}: deleted.`)
    const all = await listAllApplications(engine)
    if (type === 'management' && !all.some((each) => each.type === type && each.keys.length > 0))
      printHint(
        `No management key is left. Create one with: ${formatVaultCommand(toVaultLocation(options), 'keys', 'create', '--type', 'management')}`,
      )
  })
}

async function confirmDeletion(warning: string): Promise<void> {
  printHint(warning)
  const answer = hasTerminal() ? await askLine('Delete it? Type yes: ') : undefined
  if (answer === 'yes') return
  throw new CofferError('forbidden', `Nothing was changed.${answer === undefined ? ' Add --yes.' : ''}`)
}

export type KeysCommandOptions = InMemory & { dataDir?: string; vault: string; json?: true }

async function withEngine(
  options: KeysCommandOptions,
  use: (engine: OwnersEngine) => Promise<void>,
): Promise<void> {
  await using vault = await openOrJoin(toVaultLocation(options), options)
  await use(vault.engine)
}
