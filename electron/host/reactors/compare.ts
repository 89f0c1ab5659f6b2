import { CofferError } from '../../../shared/errors.ts'
import type { newReactor, ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { z } from '../../../shared/zod.ts'

/** What `reactors.yml` says of a reactor. A configuration entry that is null keeps the stored value. */
export type About = {
  /** An application of the vault, by its name. */
  readonly application?: string | undefined
  readonly configuration?: Readonly<Record<string, string | null>> | undefined
}

/** A reactor as a folder holds it: `NAME.js`, with its entry in `reactors.yml` if it has one. */
export type ReactorFile = About & { readonly name: string; readonly code: string }

/** What is compared of a stored reactor. */
export type Stored = Pick<ReactorObject, 'name' | 'code' | 'application' | 'configuration'>

type Named = { readonly id: string; readonly name: string }

/** The members of a merge patch. */
export type ReactorChanges = {
  readonly code?: string
  readonly application?: { readonly id: string }
  readonly configuration?: Readonly<Record<string, string | null>>
}

/**
 * What storing a file changes; empty if nothing. Where the file says nothing of application or configuration, both
 * stay. Throws `invalid` for an application that is not there, or whose name several have.
 */
export function changesOf(
  file: ReactorFile,
  stored: Stored | undefined,
  applications: readonly Named[],
): ReactorChanges {
  const application = applicationOf(file, stored, applications)
  const configuration = configurationChanges(file.configuration, stored?.configuration ?? {})
  return {
    ...(file.code !== stored?.code && { code: file.code }),
    ...(application !== undefined &&
      application !== stored?.application?.id && { application: { id: application } }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
  }
}

function applicationOf(
  { name, application }: ReactorFile,
  stored: Stored | undefined,
  applications: readonly Named[],
): string | undefined {
  if (application === undefined) return undefined
  const named = applications.filter((each) => each.name === application)
  const present = named.find(({ id }) => id === stored?.application?.id)
  if (present) return present.id
  if (named[0] && named.length === 1) return named[0].id
  const why = named.length === 0 ? 'is not there' : 'is the name of several'
  throw new CofferError('invalid', `${name}.js: its application ${JSON.stringify(application)} ${why}.`)
}

function configurationChanges(
  given: About['configuration'],
  stored: Readonly<Record<string, string>>,
): Record<string, string | null> {
  if (given === undefined) return {}
  const set = Object.entries(given).filter(([name, value]) => value !== null && value !== own(stored, name))
  const removed = Object.keys(stored).filter((name) => !Object.hasOwn(given, name))
  return Object.fromEntries([...set, ...removed.map((name) => [name, null] as const)])
}

/** A new reactor as its file has it. Throws as `changesOf` does. */
export function newReactorOf(file: ReactorFile, applications: readonly Named[]): z.input<typeof newReactor> {
  const { name, code, configuration = {} } = file
  const { application } = changesOf(file, undefined, applications)
  const values = Object.entries(configuration).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    name,
    code,
    ...(application && { application }),
    ...(values.length > 0 && { configuration: Object.fromEntries(values) }),
  }
}

/** Says which entries have a value neither in the file nor stored; null if there are none. */
export function missingValues(
  { name, configuration = {} }: ReactorFile,
  stored: Stored | undefined,
): string | null {
  const missing = Object.keys(configuration).filter(
    (each) => configuration[each] === null && own(stored?.configuration ?? {}, each) === undefined,
  )
  if (missing.length === 0) return null
  return `${name} has no value for ${missing.join(', ')}: reactors.yml gives none, and none is stored.`
}

/**
 * What `reactors.yml` is to say of a stored reactor. SECURITY: of its configuration only the names, and values that are
 * in the file already. An application that is gone leaves what the file says.
 */
export function aboutOf(stored: Stored, file: About | undefined, applications: readonly Named[]): About {
  const application = stored.application
    ? (applications.find(({ id }) => id === stored.application?.id)?.name ?? file?.application)
    : undefined
  const configuration = Object.entries(stored.configuration).map(
    ([name, value]) => [name, own(file?.configuration ?? {}, name) === value ? value : null] as const,
  )
  return {
    ...(application !== undefined && { application }),
    ...(configuration.length > 0 && { configuration: Object.fromEntries(configuration) }),
  }
}

/** Whether two entries say the same, in whatever order. */
export function isSameAbout(a: About, b: About): boolean {
  return a.application === b.application && namesThatDiffer(a, b).length === 0
}

/** The configuration entries that two entries of `reactors.yml` do not share. */
export function namesThatDiffer(
  { configuration: a = {} }: About,
  { configuration: b = {} }: About,
): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => own(a, name) !== own(b, name))
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
