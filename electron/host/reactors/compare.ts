import { CofferError } from '../../../shared/errors.ts'
import type { newReactor, ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { z } from '../../../shared/zod.ts'

/** The entry of a reactor in `reactors.yml`. A configuration entry that is null keeps the stored value. */
export type ReactorFileEntry = {
  readonly application?: string | undefined
  readonly configuration?: Readonly<Record<string, string | null>> | undefined
}

/** A reactor in a folder: `NAME.js`, with its entry in `reactors.yml` if it has one. */
export type ReactorFile = ReactorFileEntry & { readonly name: string; readonly code: string }

/** The compared members of a stored reactor. */
export type StoredReactor = Pick<ReactorObject, 'name' | 'code' | 'application' | 'configuration'>

type NamedEntity = { readonly id: string; readonly name: string }

/** The members of a merge patch. */
export type ReactorChanges = {
  readonly code?: string
  readonly application?: { readonly id: string }
  readonly configuration?: Readonly<Record<string, string | null>>
}

/**
 * Computes what storing a file would change. Empty if nothing would change. If the file has no application or
 * configuration, the stored one stays. Throws `invalid` if the named application does not exist, or if several have its
 * name.
 */
export function computeChanges(
  file: ReactorFile,
  stored: StoredReactor | undefined,
  applications: readonly NamedEntity[],
): ReactorChanges {
  const application = resolveApplication(file, stored, applications)
  const configuration = computeConfigurationChanges(file.configuration, stored?.configuration ?? {})
  return {
    ...(file.code !== stored?.code && { code: file.code }),
    ...(application !== undefined &&
      application !== stored?.application?.id && { application: { id: application } }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
  }
}

function resolveApplication(
  { name, application }: ReactorFile,
  stored: StoredReactor | undefined,
  applications: readonly NamedEntity[],
): string | undefined {
  if (application === undefined) return undefined
  const matching = applications.filter((each) => each.name === application)
  const current = matching.find(({ id }) => id === stored?.application?.id)
  if (current) return current.id
  if (matching[0] && matching.length === 1) return matching[0].id
  const why = matching.length === 0 ? 'does not exist' : 'is the name of several applications'
  throw new CofferError('invalid', `${name}.js: its application ${JSON.stringify(application)} ${why}.`)
}

function computeConfigurationChanges(
  fileValues: ReactorFileEntry['configuration'],
  stored: Readonly<Record<string, string>>,
): Record<string, string | null> {
  if (fileValues === undefined) return {}
  const set = Object.entries(fileValues).filter(
    ([name, value]) => value !== null && value !== getOwn(stored, name),
  )
  const removed = Object.keys(stored).filter((name) => !Object.hasOwn(fileValues, name))
  return Object.fromEntries([...set, ...removed.map((name) => [name, null] as const)])
}

/** Returns a new reactor as its file describes it. Throws as `computeChanges` does. */
export function toNewReactor(
  file: ReactorFile,
  applications: readonly NamedEntity[],
): z.input<typeof newReactor> {
  const { name, code, configuration = {} } = file
  const { application } = computeChanges(file, undefined, applications)
  const values = Object.entries(configuration).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    name,
    code,
    ...(application && { application }),
    ...(values.length > 0 && { configuration: Object.fromEntries(values) }),
  }
}

/**
 * Returns a sentence about the configuration entries that have a value neither in the file nor in the vault. Null if
 * there are none.
 */
export function describeMissingValues(
  { name, configuration = {} }: ReactorFile,
  stored: StoredReactor | undefined,
): string | null {
  const missing = Object.keys(configuration).filter(
    (each) => configuration[each] === null && getOwn(stored?.configuration ?? {}, each) === undefined,
  )
  if (missing.length === 0) return null
  return `${name} has no value for ${missing.join(', ')}: reactors.yml has none, and none is stored.`
}

/**
 * Returns the entry of a stored reactor for `reactors.yml`. SECURITY: it holds only the names of configuration entries,
 * and values that are in the file already. If the reactor's application was deleted, the entry keeps the application
 * that the file names.
 */
export function toFileEntry(
  stored: StoredReactor,
  file: ReactorFileEntry | undefined,
  applications: readonly NamedEntity[],
): ReactorFileEntry {
  const application = stored.application
    ? (applications.find(({ id }) => id === stored.application?.id)?.name ?? file?.application)
    : undefined
  const configuration = Object.entries(stored.configuration).map(
    ([name, value]) => [name, getOwn(file?.configuration ?? {}, name) === value ? value : null] as const,
  )
  return {
    ...(application !== undefined && { application }),
    ...(configuration.length > 0 && { configuration: Object.fromEntries(configuration) }),
  }
}

/** Whether two entries are equal, regardless of order. */
export function isSameEntry(a: ReactorFileEntry, b: ReactorFileEntry): boolean {
  return a.application === b.application && listDifferingNames(a, b).length === 0
}

/** Lists the names of configuration entries that only one of two entries of `reactors.yml` has. */
export function listDifferingNames(
  { configuration: a = {} }: ReactorFileEntry,
  { configuration: b = {} }: ReactorFileEntry,
): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (name) => getOwn(a, name) !== getOwn(b, name),
  )
}

function getOwn<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
