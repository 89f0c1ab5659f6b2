import fs from 'node:fs'
import path from 'node:path'
import { refuseInexact } from '../../../shared/code-args.ts'
import { CofferError, type ErrorCode } from '../../../shared/errors.ts'
import { readJson } from '../../../shared/json.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { dataDirectory, resolveFolder } from '../../host/files/data-dir.ts'
import { refuseExposed } from '../../host/files/exposed.ts'
import { settlePackages } from '../../host/files/packages-folder.ts'
import { addPackages, packagesIn } from '../../reactors/packages.ts'
import { ReactorPool } from '../../reactors/pool.ts'
import type { Ended, FailureReason } from '../../reactors/run.ts'
import { say } from '../terminal/common.ts'
import { UsageError } from '../terminal/usage-error.ts'

export async function runFile(
  file: string,
  options: Folder & { args: string; configuration: string },
): Promise<void> {
  const code = read(file)
  const configuration = stringsOf(options.configuration)
  if (jsonOf(options.args) === undefined) throw new UsageError('--args must be JSON.')
  refuseInexact(readJson(options.args), 'args')
  const folder = packagesFolder(options)
  const pool = new ReactorPool({ packagesDir: fs.existsSync(folder) ? folder : null, spare: 0 })
  try {
    const { ended, console } = await pool.run({
      owner: null,
      caller: null,
      code,
      args: options.args,
      configuration,
      application: null,
      limit_ms: LIMIT_MS,
    })
    if (console !== '') process.stderr.write(console.endsWith('\n') ? console : `${console}\n`)
    say(outputOf(ended, file))
  } finally {
    await pool.close()
  }
}

export async function addPackagesNamed(
  names: string[],
  { json, ...options }: Folder & { json?: true },
): Promise<void> {
  const folder = packagesFolder(options)
  await addPackages(folder, names, (text) => void process.stderr.write(text)).catch((error: unknown) => {
    throw storageError(error, folder)
  })
  list(folder, json)
}

export async function listPackages({ json, ...options }: Folder & { json?: true }): Promise<void> {
  list(packagesFolder(options), json)
}

/** As long as a synchronous call may take. */
const LIMIT_MS = 30_000

export type Folder = { readonly dataDir?: string; readonly packages?: string }

function list(folder: string, json: true | undefined): void {
  const packages = packagesIn(folder)
  if (json) say(JSON.stringify(packages))
  else for (const { name, version } of packages) say(`${name} ${version}`)
}

function packagesFolder({ dataDir, packages }: Folder): string {
  if (packages !== undefined) return path.resolve(packages)
  const place = dataDir ? resolveFolder(dataDir) : dataDirectory()
  refuseExposed(place)
  const folder = settlePackages(place)
  refuseExposed(folder)
  return folder
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} cannot be read.`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function stringsOf(text: string): Record<string, string> {
  const given = jsonOf(text)
  const isMap = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isMap || !Object.values(given).every((each) => typeof each === 'string')) {
    throw new UsageError('--configuration must be a JSON object of strings.')
  }
  return given as Record<string, string>
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

/** What a run answers, indented. Throws where it failed, with the place in the file. */
function outputOf(ended: Ended, file: string): string {
  if (ended.kind === 'returned') return JSON.stringify(JSON.parse(ended.value), null, 2)
  if (ended.kind === 'response') {
    const { status, headers, body } = ended
    return JSON.stringify({ status, headers, body }, null, 2)
  }
  if (ended.kind === 'failed') throw new CofferError(codes[ended.reason], ended.detail)
  const { status, detail, errors, at } = ended
  const place = at ? `${file}:${at.line}:${at.column}: ` : `${file}: `
  throw new CofferError(
    'unprocessable',
    `${place}${detail} (${status}): ${Object.values(errors).flat().join('; ')}`,
  )
}
