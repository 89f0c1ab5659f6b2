import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { ReactorPool } from '../../code-runner/pool.ts'
import { findSyntaxProblem } from '../../code-runner/syntax-problem.ts'
import { toCofferError } from '../../engine/index.ts'
import { findFolderProblems } from '../../host/reactors/check-folder.ts'
import {
  computeChanges,
  describeMissingValues,
  type ReactorFile,
  toNewReactor,
} from '../../host/reactors/compare.ts'
import { readReactors } from '../../host/reactors/folder.ts'
import { planPull, writeReactors } from '../../host/reactors/pull-folder.ts'
import {
  fetchApplications,
  fetchReactor,
  fetchReactors,
  type RemoteReactor,
} from '../terminal/fetch-reactors.ts'
import { formatNames, sanitizeText } from '../terminal/printable.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import {
  type Applications,
  type ToStore,
  toStoredLines,
  toWrittenLines,
} from '../terminal/reactor-changes.ts'
import { requestServer } from '../terminal/request-server.ts'
import type { ServerOptions } from '../terminal/server-options.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'

export type ReactorFilesOptions = ServerOptions & { readonly yes?: true; readonly json?: true }

/** Stores the reactors of a folder in a running Coffer. */
export async function pushFolder(folder: string, options: ReactorFilesOptions): Promise<void> {
  const files = readReactors(folder)
  if (files.length === 0) throw new CofferError('not_found', `There is no NAME.js in ${folder}.`)
  rejectProblems(await findProblems(folder, files), 'pushed')
  const remote = await fetchReactors(options)
  const needsApplications = [...files, ...remote].some(({ application }) => application !== undefined)
  const applications = needsApplications ? await fetchApplications(options) : []
  const all = planPush(folder, files, remote, applications)
  const waiting = all.filter(({ stored, changes }) => !stored || Object.keys(changes).length > 0)
  for (const each of waiting) for (const line of toStoredLines(each, applications)) printHint(line)
  const replaced = waiting.filter(({ stored }) => stored)
  await confirmReplace(formatCount(replaced.length, 'stored reactor'), replaced.length, 'pushed', options)
  for (const [done, each] of waiting.entries()) {
    try {
      await storeReactor(each, applications, options)
    } catch (error) {
      const { code, message } = toCofferError(error)
      throw new CofferError(
        code,
        `${each.file.name}.js: ${message} ${done} of ${waiting.length} were pushed before that.`,
        {
          cause: error,
        },
      )
    }
  }
  const missing = files.flatMap(
    (file) => describeMissingValues(file, filterByName(remote, file.name)[0]) ?? [],
  )
  for (const message of missing) printHint(sanitizeText(message))
  await printMissingPackages(files, options)
  const left_alone = remote
    .map(({ name }) => name)
    .filter((name) => !files.some((file) => file.name === name))
  if (left_alone.length > 0) printHint(`Not changed, because they have no file: ${formatNames(left_alone)}.`)
  const report = {
    created: waiting.filter(({ stored }) => !stored).map(({ file }) => file.name),
    changed: replaced.map(({ file }) => file.name),
    unchanged: all.length - waiting.length,
    left_alone,
    without_value: missing,
  }
  printLine(options.json ? JSON.stringify(report) : formatReport('Pushed', report))
}

/** Says which reactors need packages that the server does not have. */
async function printMissingPackages(files: readonly ReactorFile[], options: ReactorFilesOptions) {
  if (!files.some(({ runtime }) => runtime?.dependencies)) return
  for (const { name, requested } of await fetchReactors(options))
    if (requested && files.some((file) => file.name === name))
      printHint(sanitizeText(`${name}: ${requested.error_message}`))
}

/**
 * Compares each file with the stored reactor of the same name. Throws one `invalid` error that lists the problems of
 * all files.
 */
function planPush(
  folder: string,
  files: readonly ReactorFile[],
  remote: readonly RemoteReactor[],
  applications: Applications,
): ToStore[] {
  const problems: string[] = []
  const all: ToStore[] = []
  for (const file of files) {
    const [stored, another] = filterByName(remote, file.name)
    try {
      if (another)
        throw new CofferError('conflict', `${file.name}.js: several stored reactors have this name.`)
      all.push({ file, stored, changes: computeChanges(file, stored, applications) })
    } catch (error) {
      if (!(error instanceof CofferError)) throw error
      problems.push(path.join(folder, error.message))
    }
  }
  rejectProblems(problems, 'pushed')
  return all
}

function filterByName(remote: readonly RemoteReactor[], name: string): RemoteReactor[] {
  return remote.filter((each) => each.name === name)
}

/**
 * Stores one reactor. Throws `conflict` if the stored reactor has changed since it was compared, and whatever
 * `requestServer` throws.
 */
async function storeReactor(
  { file, stored, changes }: ToStore,
  applications: Applications,
  options: ReactorFilesOptions,
): Promise<void> {
  if (!stored) {
    await requestServer(options, 'POST', '/reactors', toNewReactor(file, applications))
    return
  }
  const now = await fetchReactor(options, stored.id)
  if (now.modified_at !== stored.modified_at)
    throw new CofferError(
      'conflict',
      'The stored reactor has changed in the meantime. Run the command again.',
    )
  await requestServer(options, 'PATCH', `/reactors/${stored.id}`, changes)
}

/** Writes the reactors of a running Coffer to a folder. */
export async function pullFolder(folder: string, options: ReactorFilesOptions): Promise<void> {
  const files = fs.existsSync(folder) ? readReactors(folder) : []
  const remote = await fetchReactors(options)
  const applications = remote.some(({ application }) => application) ? await fetchApplications(options) : []
  const { write, unchanged, left_alone, left_out } = planPull(folder, files, remote, applications)
  for (const each of write) for (const line of toWrittenLines(each)) printHint(line)
  const replaced = write.filter(({ before }) => before)
  await confirmReplace(formatCount(replaced.length, 'file'), replaced.length, 'written', options)
  if (!isDeepStrictEqual(fs.existsSync(folder) ? readReactors(folder) : [], files))
    throw new CofferError(
      'conflict',
      `${folder} has changed in the meantime. Nothing was written. Run the command again.`,
    )
  if (write.length > 0) writeReactors(folder, write)
  for (const { name, why } of left_out)
    printHint(`The reactor ${sanitizeText(name)} was not written: ${why}.`)
  printUnwritten(remote, applications)
  if (left_alone.length > 0)
    printHint(`Not changed, because no reactor is stored for these files: ${formatNames(left_alone)}.`)
  if (left_out.length > 0) process.exitCode = 1
  const report = {
    created: write.filter(({ before }) => !before).map(({ name }) => name),
    changed: replaced.map(({ name }) => name),
    unchanged,
    left_alone,
    left_out,
  }
  printLine(options.json ? JSON.stringify(report) : formatReport('Wrote', report))
}

function printUnwritten(remote: readonly RemoteReactor[], applications: Applications): void {
  const withValues = remote.filter(({ configuration }) => Object.keys(configuration).length > 0)
  if (withValues.length > 0)
    printHint(
      `Configuration values stay in Coffer; reactors.yml has only their names: ${formatNames(withValues.map(({ name }) => name))}.`,
    )
  const orphans = remote.filter(
    ({ application }) => application && !applications.some(({ id }) => id === application.id),
  )
  if (orphans.length > 0)
    printHint(
      `Written without an application, because it no longer exists: ${formatNames(orphans.map(({ name }) => name))}.`,
    )
}

async function findProblems(folder: string, files: readonly ReactorFile[]): Promise<string[]> {
  const pool = new ReactorPool({ packagesDir: null, spare: 0 })
  try {
    return await findFolderProblems(folder, files, (code) => findSyntaxProblem(pool, code))
  } finally {
    await pool.close()
  }
}

function rejectProblems(problems: readonly string[], done: string): void {
  if (problems.length === 0) return
  throw new CofferError('invalid', [...problems.map(sanitizeText), `Nothing was ${done}.`].join('\n'))
}

/** Asks before replacing anything. Throws `forbidden` unless the owner confirms. */
async function confirmReplace(
  what: string,
  count: number,
  done: string,
  { yes }: ReactorFilesOptions,
): Promise<void> {
  if (count === 0 || yes) return
  const answer = hasTerminal() ? await askLine(`Replace ${what}? Type yes: `) : undefined
  if (answer === 'yes') return
  const hint = answer === undefined ? ` To replace ${what}, add --yes.` : ''
  throw new CofferError('forbidden', `Nothing was ${done}.${hint}`)
}

type FolderReport = {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: number
}

function formatReport(did: string, { created, changed, unchanged }: FolderReport): string {
  const many = formatCount(created.length + changed.length, 'reactor')
  return `${did} ${many}: ${created.length} new, ${changed.length} changed. ${unchanged} unchanged.`
}
