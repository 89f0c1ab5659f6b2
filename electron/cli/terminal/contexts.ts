import fs from 'node:fs'
import { parseEnv } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { findNearestName } from '../../../shared/nearest-name.ts'
import { z } from '../../../shared/zod.ts'
import { describeSystemError } from '../../engine/index.ts'
import { writeAtomically } from '../../host/files/atomic-write.ts'
import { getDataDirectory, prepareDataDirectory } from '../../host/files/data-dir.ts'
import { formatCommand } from '../hint.ts'
import { getContextsFile, printHint } from './vault-options.ts'

/** The servers that the owner has named: each has a file of variables, as `coffer env` prints it. */
const contexts = z.object({ current: z.string().nullable(), files: z.record(z.string(), z.string()) })
type Contexts = z.output<typeof contexts>

/** SECURITY: only variables that select a server or a vault. A file cannot set others, such as a passphrase. */
const variables = [
  'COFFER_BASE_URL',
  'COFFER_API_KEY',
  'COFFER_PUBLIC_KEY',
  'COFFER_MANAGEMENT_KEY',
  'COFFER_DATA_DIR',
  'COFFER_VAULT',
] as const

/** Reads the contexts of the data folder. Throws `invalid` if their file is damaged. */
export function readContexts(): Contexts {
  const file = getContextsFile()
  if (!fs.existsSync(file)) return { current: null, files: {} }
  try {
    return contexts.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    throw new CofferError('invalid', `${file} cannot be read. Delete it, and add your contexts again.`)
  }
}

export function writeContexts(changed: Contexts): void {
  prepareDataDirectory(getDataDirectory())
  writeAtomically(getContextsFile(), `${JSON.stringify(changed, undefined, 2)}\n`)
}

/** Returns the file of a context. Throws `not_found` with the nearest name. */
export function requireContext({ files }: Contexts, name: string): string {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (file !== undefined) return file
  const near = findNearestName(name, Object.keys(files))
  const hint =
    near === undefined ? `List them with: ${formatCommand('context', 'list')}` : `Did you mean ${near}?`
  throw new CofferError('not_found', `There is no such context. ${hint}`)
}

/** Reads the variables of a context. Throws `invalid` if the file cannot be read or sets none of them. */
export function readVariables(file: string): Record<string, string> {
  let all: NodeJS.Dict<string>
  try {
    all = parseEnv(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CofferError('invalid', `${file} cannot be read: ${describeSystemError(error)}.`)
  }
  const found = variables.flatMap((name) => (all[name] ? [[name, all[name]] as const] : []))
  if (found.length > 0) return Object.fromEntries(found)
  throw new CofferError('invalid', `${file} sets none of ${variables.join(', ')}.`)
}

/** Sets the variables of the current context, or of the one that COFFER_CONTEXT names, unless the environment has them. */
export function applyContext(environment: NodeJS.ProcessEnv = process.env): void {
  const known = readContexts()
  const name = environment.COFFER_CONTEXT ?? known.current
  if (name === null) return
  const values = readVariables(requireContext(known, name))
  for (const [variable, value] of Object.entries(values)) environment[variable] ??= value
  if (process.stderr.isTTY) printHint(`Context ${name}.`)
}
