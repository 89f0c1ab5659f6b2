import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { counted } from '../../../shared/counted.ts'
import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { folderProblems } from '../../host/reactors/check-folder.ts'
import { changesOf, missingValues, newReactorOf, type ReactorFile } from '../../host/reactors/compare.ts'
import { readReactors } from '../../host/reactors/folder.ts'
import { planPull, writeReactors } from '../../host/reactors/pull-folder.ts'
import { ReactorPool } from '../../reactors/pool.ts'
import { syntaxProblem } from '../../reactors/syntax-problem.ts'
import { askSandbox } from '../terminal/ask-sandbox.ts'
import { note, say } from '../terminal/common.ts'
import { listOf, printable } from '../terminal/printable.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { type Applications, storedLines, type ToStore, writtenLines } from '../terminal/reactor-changes.ts'
import {
  applicationsThere,
  type ReactorThere,
  reactorsThere,
  reactorThere,
} from '../terminal/reactors-there.ts'
import type { SandboxOptions } from '../terminal/sandbox.ts'

export type Options = SandboxOptions & { readonly yes?: true; readonly json?: true }

/** Stores the reactors of a folder. */
export async function pushFolder(folder: string, options: Options): Promise<void> {
  const files = readReactors(folder)
  if (files.length === 0) throw new CofferError('not_found', `There is no NAME.js in ${folder}.`)
  refuse(await problemsIn(folder, files), 'pushed')
  const there = await reactorsThere(options)
  const isNamed = [...files, ...there].some(({ application }) => application !== undefined)
  const applications = isNamed ? await applicationsThere(options) : []
  const all = planPush(folder, files, there, applications)
  const waiting = all.filter(({ stored, changes }) => !stored || Object.keys(changes).length > 0)
  for (const each of waiting) for (const line of storedLines(each, applications)) note(line)
  const replaced = waiting.filter(({ stored }) => stored)
  await confirm(counted(replaced.length, 'stored reactor'), replaced.length, 'pushed', options)
  for (const [done, each] of waiting.entries()) {
    try {
      await store(each, applications, options)
    } catch (error) {
      const { code, message } = toCofferError(error)
      throw new CofferError(
        code,
        `${each.file.name}.js: ${message} ${done} of ${waiting.length} were pushed before it.`,
        {
          cause: error,
        },
      )
    }
  }
  const without = files.flatMap((file) => missingValues(file, named(there, file.name)[0]) ?? [])
  for (const sentence of without) note(printable(sentence))
  const left_alone = there.map(({ name }) => name).filter((name) => !files.some((file) => file.name === name))
  if (left_alone.length > 0) note(`Stored without a file, and left alone: ${listOf(left_alone)}.`)
  const report = {
    created: waiting.filter(({ stored }) => !stored).map(({ file }) => file.name),
    changed: replaced.map(({ file }) => file.name),
    unchanged: all.length - waiting.length,
    left_alone,
    without_value: without,
  }
  say(options.json ? JSON.stringify(report) : sentenceOf('Pushed', report))
}

/** What is to be stored of each file. Throws `invalid`, after saying what is wrong with which. */
function planPush(
  folder: string,
  files: readonly ReactorFile[],
  there: readonly ReactorThere[],
  applications: Applications,
): ToStore[] {
  const problems: string[] = []
  const all: ToStore[] = []
  for (const file of files) {
    const [stored, another] = named(there, file.name)
    try {
      if (another)
        throw new CofferError('conflict', `${file.name}.js: several stored reactors have this name.`)
      all.push({ file, stored, changes: changesOf(file, stored, applications) })
    } catch (error) {
      if (!(error instanceof CofferError)) throw error
      problems.push(path.join(folder, error.message))
    }
  }
  refuse(problems, 'pushed')
  return all
}

function named(there: readonly ReactorThere[], name: string): ReactorThere[] {
  return there.filter((each) => each.name === name)
}

/** Throws `conflict` if the stored reactor has changed since it was compared, and what `askSandbox` throws. */
async function store(
  { file, stored, changes }: ToStore,
  applications: Applications,
  options: Options,
): Promise<void> {
  if (!stored) {
    await askSandbox(options, 'POST', '/reactors', newReactorOf(file, applications))
    return
  }
  const now = await reactorThere(options, stored.id)
  if (now.modified_at !== stored.modified_at)
    throw new CofferError('conflict', 'The stored reactor was changed meanwhile. Run the command again.')
  await askSandbox(options, 'PATCH', `/reactors/${stored.id}`, changes)
}

/** Writes the stored reactors to a folder. */
export async function pullFolder(folder: string, options: Options): Promise<void> {
  const files = fs.existsSync(folder) ? readReactors(folder) : []
  const there = await reactorsThere(options)
  const applications = there.some(({ application }) => application) ? await applicationsThere(options) : []
  const { write, unchanged, left_alone, left_out } = planPull(folder, files, there, applications)
  for (const each of write) for (const line of writtenLines(each)) note(line)
  const replaced = write.filter(({ before }) => before)
  await confirm(counted(replaced.length, 'file'), replaced.length, 'written', options)
  if (!isDeepStrictEqual(fs.existsSync(folder) ? readReactors(folder) : [], files))
    throw new CofferError(
      'conflict',
      `${folder} was changed meanwhile. Nothing was written. Run the command again.`,
    )
  if (write.length > 0) writeReactors(folder, write)
  for (const { name, why } of left_out) note(`The reactor ${printable(name)} was not written: ${why}.`)
  tellUnwritten(there, applications)
  if (left_alone.length > 0) note(`Files without a stored reactor, left alone: ${listOf(left_alone)}.`)
  if (left_out.length > 0) process.exitCode = 1
  const report = {
    created: write.filter(({ before }) => !before).map(({ name }) => name),
    changed: replaced.map(({ name }) => name),
    unchanged,
    left_alone,
    left_out,
  }
  say(options.json ? JSON.stringify(report) : sentenceOf('Wrote', report))
}

/** Says what of the reactors is in no file. */
function tellUnwritten(there: readonly ReactorThere[], applications: Applications): void {
  const withValues = there.filter(({ configuration }) => Object.keys(configuration).length > 0)
  if (withValues.length > 0)
    note(
      `Values of configuration stay in Coffer; reactors.yml has the names: ${listOf(withValues.map(({ name }) => name))}.`,
    )
  const withRuntime = there.filter(({ runtime }) => runtime)
  if (withRuntime.length > 0)
    note(`Runtimes stay in Coffer and are in no file: ${listOf(withRuntime.map(({ name }) => name))}.`)
  const orphans = there.filter(
    ({ application }) => application && !applications.some(({ id }) => id === application.id),
  )
  if (orphans.length > 0)
    note(`Their application is gone, and is in no file: ${listOf(orphans.map(({ name }) => name))}.`)
}

/** What is wrong with the files of a folder; their code is compiled in a process of its own. */
async function problemsIn(folder: string, files: readonly ReactorFile[]): Promise<string[]> {
  const pool = new ReactorPool({ packagesDir: null, spare: 0 })
  try {
    return await folderProblems(folder, files, (code) => syntaxProblem(pool, code))
  } finally {
    await pool.close()
  }
}

function refuse(problems: readonly string[], done: string): void {
  if (problems.length === 0) return
  throw new CofferError('invalid', [...problems.map(printable), `Nothing was ${done}.`].join('\n'))
}

/** Asks before anything is replaced. Throws `forbidden` where that is not confirmed. */
async function confirm(what: string, count: number, done: string, { yes }: Options): Promise<void> {
  if (count === 0 || yes) return
  const answer = hasTerminal() ? await askLine(`Replace ${what}? Type yes: `) : undefined
  if (answer === 'yes') return
  const hint = answer === undefined ? ` To replace ${what}, add --yes.` : ''
  throw new CofferError('forbidden', `Nothing was ${done}.${hint}`)
}

type Report = {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: number
}

function sentenceOf(did: string, { created, changed, unchanged }: Report): string {
  const many = counted(created.length + changed.length, 'reactor')
  return `${did} ${many}: ${created.length} new, ${changed.length} changed. ${unchanged} unchanged.`
}
