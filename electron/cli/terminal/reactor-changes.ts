import { formatCount } from '../../../shared/format-count.ts'
import {
  listDifferingNames,
  listRuntimeChanges,
  type ReactorChanges,
  type ReactorFile,
} from '../../host/reactors/compare.ts'
import type { ToWrite } from '../../host/reactors/pull-folder.ts'
import type { RemoteReactor } from './fetch-reactors.ts'
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
  const { code, application, configuration = {}, runtime = {} } = changes
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
    ...formatRuntimeChanges(Object.keys(runtime)),
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
    ...formatRuntimeChanges(listRuntimeChanges(before.runtime, about.runtime)),
    ...listDifferingNames(before, about).map((each) => {
      const isStored = Object.hasOwn(about.configuration ?? {}, each)
      const isInFile = Object.hasOwn(before.configuration ?? {}, each)
      const what = isInFile ? 'loses its value, because another one is stored' : 'is added, without its value'
      return `  configuration: ${sanitizeText(each)} ${isStored ? what : 'is removed, because it is not stored'}`
    }),
  ]
}

function formatRuntimeChanges(members: readonly string[]): string[] {
  return members.length > 0 ? [`  runtime: changes ${formatNames(members)}`] : []
}

function formatReplacement(now: string, before: string): string {
  return `  application: ${sanitizeText(now)} in place of ${sanitizeText(before)}`
}

const MAX_PRINTED_LINES = 20

/**
 * Formats the difference between two strings, from the first to the last line that differs: `-` for removed lines,
 * `+` for added ones.
 */
function diffLines(before: string, after: string): string[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
  ]
  const more = lines.length - MAX_PRINTED_LINES
  return [
    `  code, from line ${start + 1}:`,
    ...lines
      .slice(0, MAX_PRINTED_LINES)
      .map((line) => `    ${sanitizeText(line.replaceAll('\t', '  ').replace(/\r$/, ''))}`),
    ...(more > 0 ? [`    … and ${formatCount(more, 'more line')}`] : []),
  ]
}
