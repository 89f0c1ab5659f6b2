import { namesThatDiffer, type ReactorChanges, type ReactorFile } from '../../host/reactors/compare.ts'
import type { ToWrite } from '../../host/reactors/pull-folder.ts'
import { lineChanges } from './line-changes.ts'
import { listOf, printable } from './printable.ts'
import type { ReactorThere } from './reactors-there.ts'

export type Applications = readonly { readonly id: string; readonly name: string }[]

/** A file to store, and what that changes. */
export type ToStore = {
  readonly file: ReactorFile
  readonly stored: ReactorThere | undefined
  readonly changes: ReactorChanges
}

/** What storing a file would change, for a terminal. SECURITY: names of configuration, never values. */
export function storedLines({ file, stored, changes }: ToStore, applications: Applications): string[] {
  if (!stored) return [`${printable(file.name)}.js is new.`]
  const { code, application, configuration = {} } = changes
  const nameOf = (id: string | undefined) => applications.find((each) => each.id === id)?.name ?? 'none'
  const names = Object.keys(configuration)
  const set = names.filter((name) => configuration[name] !== null)
  const removed = names.filter((name) => configuration[name] === null)
  return [
    `${printable(file.name)}.js changes the stored reactor:`,
    ...(code === undefined ? [] : lineChanges(stored.code, code)),
    ...(application ? [inPlace(nameOf(application.id), nameOf(stored.application?.id))] : []),
    ...(set.length > 0 ? [`  configuration: sets ${listOf(set)}`] : []),
    ...(removed.length > 0 ? [`  configuration: removes ${listOf(removed)}`] : []),
  ]
}

/** What writing a stored reactor would change, for a terminal. */
export function writtenLines({ name, code, about, before }: ToWrite): string[] {
  if (!before) return [`${printable(name)}.js is new.`]
  return [
    `${printable(name)}.js changes:`,
    ...(before.code === code ? [] : lineChanges(before.code, code)),
    ...(before.application === about.application
      ? []
      : [inPlace(about.application ?? 'none', before.application ?? 'none')]),
    ...namesThatDiffer(before, about).map((each) => {
      const isStored = Object.hasOwn(about.configuration ?? {}, each)
      const isThere = Object.hasOwn(before.configuration ?? {}, each)
      const what = isThere ? 'loses its value, because another one is stored' : 'comes, without its value'
      return `  configuration: ${printable(each)} ${isStored ? what : 'goes, because it is not stored'}`
    }),
  ]
}

function inPlace(now: string, before: string): string {
  return `  application: ${printable(now)} in place of ${printable(before)}`
}
