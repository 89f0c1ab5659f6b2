import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { optionalField } from '../../../shared/schemas/common.ts'
import { configurationPatch } from '../../../shared/schemas/configured.ts'
import type { SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import { reactorRuntime } from '../../../shared/schemas/runtime.ts'
import { z } from '../../../shared/zod.ts'
import { type Engine, owner, toCofferError } from '../../engine/index.ts'
import { listAllApplications } from '../all-applications.ts'
import { readYaml } from '../files/yaml-file.ts'
import { listAllReactors } from './all-reactors.ts'
import {
  computeChanges,
  describeMissingValues,
  type ReactorFile,
  type ReactorFileEntry,
  toNewReactor,
} from './compare.ts'

/** The file next to the code that holds each reactor's application, configuration and runtime. */
export const ENTRIES_FILE = 'reactors.yml'

const entriesSchema = z.record(
  z.string(),
  z
    .strictObject({
      application: optionalField(z.string()),
      configuration: optionalField(configurationPatch),
      runtime: optionalField(reactorRuntime),
    })
    .nullable(),
)

/** Reads a folder of reactors. Throws `invalid` with the location in `reactors.yml`, `not_found`, `unavailable`. */
export function readReactors(folder: string): ReactorFile[] {
  const names = listReactorNames(folder)
  const entries = readEntries(folder)
  const orphan = [...entries.keys()].find((name) => !names.includes(name))
  if (orphan !== undefined)
    throw createInvalidError(ENTRIES_FILE, `describes ${orphan}, but there is no ${orphan}.js`)
  return names.map((name) => ({
    name,
    code: readCode(path.join(folder, `${name}.js`)),
    ...entries.get(name),
  }))
}

/** Reads the entries of `reactors.yml`. Empty if there is no such file. Throws `invalid` with the location in it. */
function readEntries(folder: string): Map<string, ReactorFileEntry> {
  const file = path.join(folder, ENTRIES_FILE)
  const entries = fs.existsSync(file) ? readYaml(file, entriesSchema).value : {}
  return new Map(Object.entries(entries).map(([name, entry]) => [name, entry ?? {}]))
}

function readCode(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file))
  } catch (error) {
    if (error instanceof TypeError) throw new CofferError('invalid', `${file} is not UTF-8 text.`)
    throw toCofferError(error)
  }
}

function listReactorNames(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
      .map(({ name }) => name.slice(0, -'.js'.length))
      .sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new CofferError('not_found', `There is no folder ${folder}.`)
    throw toCofferError(error)
  }
}

/**
 * Stores reactors by their names, as the owner: existing ones are changed, the others created. If a file has no
 * configuration, the stored one stays. Returns a sentence for each reactor that lacks a configuration value or
 * packages, and for each whose code `compile` rejects (rules F-01, F-03). Throws `invalid` with the name of the file.
 */
export async function storeReactors(
  engine: Engine,
  files: readonly ReactorFile[],
  compile: (code: string) => Promise<SyntaxProblem | null>,
): Promise<string[]> {
  const client = engine.as(owner)
  const applications = files.some(({ application }) => application) ? await listAllApplications(engine) : []
  const existing = files.length > 0 ? await listAllReactors(engine) : []
  const warnings: string[] = []
  for (const file of files) {
    const { name } = file
    const stored = existing.find((each) => each.name === name)
    const changes = computeChanges(file, stored, applications)
    try {
      if (!stored) await client.reactors.create(toNewReactor(file, applications))
      else if (Object.keys(changes).length > 0) await client.reactors.patch({ ...changes, id: stored.id })
    } catch (error) {
      const { code, message, errors } = toCofferError(error)
      throw new CofferError(code, `${name}.js: ${message}`, { errors, cause: error })
    }
    const missing = describeMissingValues(file, stored)
    if (missing !== null) warnings.push(missing)
  }
  const problems = files.map(async ({ name, code }) => {
    const problem = await compile(code).catch(() => null)
    if (!problem) return []
    const { line, column, message } = problem
    return [
      `${name}.js:${line}:${column}: ${message.replace(/\.?$/, '.')} Calls of this reactor are answered with 422.`,
    ]
  })
  const names = files.map(({ name }) => name)
  const missing = (names.length > 0 ? await listAllReactors(engine) : []).flatMap(({ name, requested }) =>
    requested && names.includes(name) ? [`${name}.js: ${requested.error_message}`] : [],
  )
  return [...warnings, ...missing, ...(await Promise.all(problems)).flat()]
}
