import fs from 'node:fs'
import path from 'node:path'
import { assertExactNumbers } from '../../../shared/code-args.ts'
import { CofferError, type ErrorCode } from '../../../shared/errors.ts'
import { includedPackages } from '../../../shared/included-packages.ts'
import { readJson } from '../../../shared/json.ts'
import type { RuntimeImage } from '../../../shared/runtime-images.ts'
import { hostedPackages } from '../../code-runner/hosted-packages.ts'
import { addPackages, readPackages } from '../../code-runner/packages.ts'
import { ReactorPool } from '../../code-runner/pool.ts'
import type { FailureReason, RunOutcome } from '../../code-runner/run.ts'
import { toStorageError } from '../../engine/index.ts'
import { getDataDirectory, resolveFolder } from '../../host/files/data-dir.ts'
import { assertNotExposed } from '../../host/files/exposed.ts'
import { migratePackages } from '../../host/files/packages-folder.ts'
import { formatNames } from '../terminal/printable.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'

export type RunFileOptions = Folder & {
  readonly args: string
  readonly configuration: string
  readonly runtime: RuntimeImage
}

export async function runFile(file: string, options: RunFileOptions): Promise<void> {
  const code = readInputFile(file)
  const configuration = parseConfiguration(options.configuration)
  if (parseJsonOrUndefined(options.args) === undefined) throw new UsageError('--args must be JSON.')
  assertExactNumbers(readJson(options.args), 'args')
  const folder = getPackagesFolder(options)
  const pool = new ReactorPool({ packagesDir: fs.existsSync(folder) ? folder : null, spare: 0 })
  try {
    const { ended, console } = await pool.run({
      owner: null,
      caller: null,
      code,
      contract: { image: options.runtime, role: 'reactor' },
      args: options.args,
      configuration,
      application: null,
      limit_ms: LIMIT_MS,
    })
    if (console !== '') process.stderr.write(console.endsWith('\n') ? console : `${console}\n`)
    printLine(formatResult(ended, file))
  } finally {
    await pool.close()
  }
}

export async function installPackages(
  names: string[],
  { json, hosted, ...options }: Folder & { json?: true; hosted?: true },
): Promise<void> {
  if (names.length === 0 && !hosted) throw new UsageError('Name a package, or use --hosted.')
  const folder = getPackagesFolder(options)
  if (hosted) await addHostedPackages(folder)
  const wanted = skipIncluded(names)
  const failed = await addToFolder(folder, wanted)
  printPackages(folder, json)
  if (failed.length === 0) return
  const rest = failed.length < wanted.length ? ' The others were added.' : ''
  throw new CofferError('not_found', `Not added: ${formatNames(failed)}. See npm's output above.${rest}`)
}

/** How many packages are added at once, so that progress can be shown. */
const PACKAGES_AT_ONCE = 6

async function addHostedPackages(folder: string): Promise<void> {
  const specs = skipIncluded(Object.keys(hostedPackages)).map((name) => `${name}@${hostedPackages[name]}`)
  const failed: string[] = []
  for (let at = 0; at < specs.length; at += PACKAGES_AT_ONCE) {
    const some = specs.slice(at, at + PACKAGES_AT_ONCE)
    printHint(`Adding ${at + 1} to ${at + some.length} of ${specs.length}: ${some.join(', ')}`)
    failed.push(...(await addToFolder(folder, some)))
  }
  if (failed.length > 0) printHint(`Skipped, because the registry does not have them: ${failed.join(', ')}.`)
}

/** Returns the names without those that Coffer includes. A name with a version stays. */
function skipIncluded(names: readonly string[]): string[] {
  const skipped = names.filter((name) => Object.hasOwn(includedPackages, name))
  if (skipped.length > 0) printHint(`Not added, because Coffer includes them: ${skipped.join(', ')}.`)
  return names.filter((name) => !skipped.includes(name))
}

async function addToFolder(folder: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  try {
    return await addPackages(folder, names, (text) => void process.stderr.write(text))
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

export async function listPackages({ json, ...options }: Folder & { json?: true }): Promise<void> {
  printPackages(getPackagesFolder(options), json)
}

/** The time limit of a run: the longest of a synchronous call of a stored reactor. */
const LIMIT_MS = 30_000

export type Folder = { readonly dataDir?: string; readonly packages?: string }

function printPackages(folder: string, json: true | undefined): void {
  const packages = readPackages(folder)
  if (json) printLine(JSON.stringify(packages))
  else for (const { name, version } of packages) printLine(`${name} ${version}`)
}

function getPackagesFolder({ dataDir, packages }: Folder): string {
  if (packages !== undefined) return path.resolve(packages)
  const location = dataDir ? resolveFolder(dataDir) : getDataDirectory()
  assertNotExposed(location)
  const folder = migratePackages(location)
  assertNotExposed(folder)
  return folder
}

function readInputFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} cannot be read.`)
  }
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseConfiguration(text: string): Record<string, string> {
  const parsedValue = parseJsonOrUndefined(text)
  const isMap = typeof parsedValue === 'object' && parsedValue !== null && !Array.isArray(parsedValue)
  if (!isMap || !Object.values(parsedValue).every((each) => typeof each === 'string')) {
    throw new UsageError('--configuration must be a JSON object of strings.')
  }
  return parsedValue as Record<string, string>
}

const codes: Readonly<Record<FailureReason, ErrorCode>> = {
  time: 'timeout',
  memory: 'unprocessable',
  output: 'unprocessable',
  exit: 'unprocessable',
  cancelled: 'cancelled',
  busy: 'unavailable',
  start: 'unavailable',
}

/** Formats the result of a run as indented JSON. Throws the failure of the run, with its position in the file. */
function formatResult(ended: RunOutcome, file: string): string {
  if (ended.kind === 'returned') return JSON.stringify(JSON.parse(ended.value), null, 2)
  if (ended.kind === 'response') {
    const { status, headers, body } = ended
    return JSON.stringify({ status, headers, body: parseJsonOrUndefined(body) ?? body }, null, 2)
  }
  if (ended.kind === 'failed') throw new CofferError(codes[ended.reason], ended.detail)
  const { status, detail, errors, at } = ended
  const location = at ? `${file}:${at.line}:${at.column}: ` : `${file}: `
  throw new CofferError(
    'unprocessable',
    `${location}${detail} (${status}): ${Object.values(errors).flat().join('; ')}`,
  )
}
