import { isDeepStrictEqual } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import type { newReactor, ReactorObject, reactorPatch } from '../../../shared/schemas/reactor.ts'
import type { reactorRuntime } from '../../../shared/schemas/runtime.ts'
import type { z } from '../../../shared/zod.ts'

/** The entry of a reactor in `reactors.yml`. A configuration entry that is null keeps the stored value. */
export type ReactorFileEntry = {
  readonly application?: string | undefined
  readonly configuration?: Readonly<Record<string, string | null>> | undefined
  readonly runtime?: Partial<z.output<typeof reactorRuntime>> | undefined
}

/** A reactor in a folder: `NAME.js`, with its entry in `reactors.yml` if it has one. */
export type ReactorFile = ReactorFileEntry & { readonly name: string; readonly code: string }

/** The compared members of a stored reactor. */
export type StoredReactor = Pick<ReactorObject, 'name' | 'code' | 'application' | 'configuration' | 'runtime'>

type NamedEntity = { readonly id: string; readonly name: string }

/** The members of a merge patch. */
export type ReactorChanges = {
  readonly code?: string
  readonly application?: { readonly id: string }
  readonly configuration?: Record<string, string | null>
  readonly runtime?: NonNullable<z.input<typeof reactorPatch>['runtime']>
}

/**
 * Computes what storing a file would change. Empty if nothing would change. If the file has no application,
 * configuration or runtime, the stored one stays. Throws `invalid` if the named application does not exist, or if
 * several have its name.
 */
export function computeChanges(
  file: ReactorFile,
  stored: StoredReactor | undefined,
  applications: readonly NamedEntity[],
): ReactorChanges {
  const application = resolveApplication(file, stored, applications)
  const configuration = computeConfigurationChanges(file.configuration, stored?.configuration ?? {})
  const runtime = file.runtime ? createPatch(stored?.runtime ?? {}, file.runtime) : {}
  return {
    ...(file.code !== stored?.code && { code: file.code }),
    ...(application !== undefined &&
      application !== stored?.application?.id && { application: { id: application } }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(Object.keys(runtime).length > 0 && { runtime }),
  }
}

/** Returns the merge patch that turns one object into another (RFC 7386), whose members have the types of `after`. */
function createPatch(before: object, after: object): Record<string, never> {
  const old = new Map<string, unknown>(Object.entries(before))
  const set = Object.entries(after)
    .filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, old.get(name)))
    .map(([name, value]) => {
      const former = old.get(name)
      return [name, isObject(former) && isObject(value) ? createPatch(former, value) : value]
    })
  const removed = [...old.keys()].filter((name) => !Object.hasOwn(after, name)).map((name) => [name, null])
  return Object.fromEntries([...set, ...removed])
}

/** Lists the names of the members that differ between two runtimes. */
export function listRuntimeChanges(
  before: ReactorFileEntry['runtime'],
  after: ReactorFileEntry['runtime'],
): string[] {
  return Object.keys(createPatch(before ?? {}, after ?? {}))
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
  const kept = Object.entries(fileValues).map(([name, value]) => [name, value ?? getOwn(stored, name)])
  return createPatch(stored, Object.fromEntries(kept))
}

/** Returns a new reactor as its file describes it. Throws as `computeChanges` does. */
export function toNewReactor(
  file: ReactorFile,
  applications: readonly NamedEntity[],
): z.input<typeof newReactor> {
  const { name, code, configuration = {}, runtime } = file
  const { application } = computeChanges(file, undefined, applications)
  const values = Object.entries(configuration).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    name,
    code,
    ...(application && { application }),
    ...(values.length > 0 && { configuration: Object.fromEntries(values) }),
    ...(runtime && { runtime }),
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
    ...(stored.runtime && { runtime: stored.runtime }),
  }
}

/** Whether two entries are equal, regardless of order. */
export function isSameEntry(a: ReactorFileEntry, b: ReactorFileEntry): boolean {
  const hasSameRuntime = listRuntimeChanges(a.runtime, b.runtime).length === 0
  return a.application === b.application && hasSameRuntime && listDifferingNames(a, b).length === 0
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
