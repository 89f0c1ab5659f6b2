import { listDifferingNames, type ReactorChanges, type ReactorFile } from '../../host/reactors/compare.ts'
import type { ToWrite } from '../../host/reactors/pull-folder.ts'
import type { RemoteReactor } from './fetch-reactors.ts'
import { diffLines } from './line-changes.ts'
import { formatNames, sanitizeText } from './printable.ts'

export type Applications = readonly { readonly id: string; readonly name: string }[]

export type ToStore = {
  readonly file: ReactorFile
  readonly stored: RemoteReactor | undefined
  readonly changes: ReactorChanges
}

/** Describes what storing a file would change. SECURITY: it names configuration entries, never their values. */
export function toStoredLines({ file, stored, changes }: ToStore, applications: Applications): string[] {
  if (!stored) return [`${sanitizeText(file.name)}.js is new.`]
  const { code, application, configuration = {} } = changes
  const getApplicationName = (id: string | undefined) =>
    applications.find((each) => each.id === id)?.name ?? 'none'
  const names = Object.keys(configuration)
  const set = names.filter((name) => configuration[name] !== null)
  const removed = names.filter((name) => configuration[name] === null)
  return [
    `${sanitizeText(file.name)}.js changes the stored reactor:`,
    ...(code === undefined ? [] : diffLines(stored.code, code)),
    ...(application
      ? [formatReplacement(getApplicationName(application.id), getApplicationName(stored.application?.id))]
      : []),
    ...(set.length > 0 ? [`  configuration: sets ${formatNames(set)}`] : []),
    ...(removed.length > 0 ? [`  configuration: removes ${formatNames(removed)}`] : []),
  ]
}

/** Describes what writing a stored reactor to its file would change. */
export function toWrittenLines({ name, code, about, before }: ToWrite): string[] {
  if (!before) return [`${sanitizeText(name)}.js is new.`]
  return [
    `${sanitizeText(name)}.js changes:`,
    ...(before.code === code ? [] : diffLines(before.code, code)),
    ...(before.application === about.application
      ? []
      : [formatReplacement(about.application ?? 'none', before.application ?? 'none')]),
    ...listDifferingNames(before, about).map((each) => {
      const isStored = Object.hasOwn(about.configuration ?? {}, each)
      const isInFile = Object.hasOwn(before.configuration ?? {}, each)
      const what = isInFile ? 'loses its value, because another one is stored' : 'is added, without its value'
      return `  configuration: ${sanitizeText(each)} ${isStored ? what : 'is removed, because it is not stored'}`
    }),
  ]
}

function formatReplacement(now: string, before: string): string {
  return `  application: ${sanitizeText(now)} in place of ${sanitizeText(before)}`
}
