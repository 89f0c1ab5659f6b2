import fs from 'node:fs'
import path from 'node:path'
import { Command, Option } from 'commander'
import { CofferError, type ErrorCode } from '../../../shared/errors.ts'
import { dataDirectory, resolveFolder } from '../../host/files/data-dir.ts'
import { addPackages, packagesIn } from '../../reactors/packages.ts'
import { ReactorPool } from '../../reactors/pool.ts'
import type { Ended, FailureReason } from '../../reactors/run.ts'
import { say } from '../terminal/common.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { pullFolderCommand, pushFolderCommand } from './reactor-files.ts'

/** As long as a synchronous call may take. */
const LIMIT_MS = 30_000

type Folder = { readonly dataDir?: string; readonly packages?: string }

/** `coffer reactor`: what a reactor needs before it is stored, and reactors as files (rules F-01 to F-03). */
export function reactorCommand(): Command {
  const reactor = new Command('reactor')
    .description('Run the code of reactors, keep it in a folder, and add the packages that it requires')
    .addHelpText(
      'after',
      `
Examples:
  coffer reactor run split-name.js --args '{"name":"Ada Lovelace"}'
  coffer reactor push reactors
  coffer reactor add-package axios@1.8.2`,
    )
  const commands = [
    runCommand(),
    pushFolderCommand(),
    pullFolderCommand(),
    addPackageCommand(),
    packagesCommand(),
  ]
  for (const command of commands) reactor.addCommand(command)
  return reactor
}

function runCommand(): Command {
  return withPackages(new Command('run'))
    .description(
      'Run a file as a reactor, without storing it: no vault is opened and no expression is resolved',
    )
    .argument('<file>', 'the code, which assigns a function to module.exports')
    .requiredOption('--args <json>', 'what the code gets as req.args')
    .option('--configuration <json>', 'what the code gets as req.configuration: an object of strings', '{}')
    .option('--json', 'print failures also as one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer reactor run reactor.js --args '{"name":"Ada Lovelace"}'
  coffer reactor run reactor.js --args '[1,2]' --configuration '{"GREETING":"hello"}'

What the code returns goes to standard output, and what it prints with console to standard error. The code is a program
with access to the network; files, other programs and the environment are out of its reach. req.bt is null.`,
    )
    .action(async (file: string, options: Folder & { args: string; configuration: string }) => {
      const code = read(file)
      const configuration = stringsOf(options.configuration)
      if (jsonOf(options.args) === undefined) throw new UsageError('--args must be JSON.')
      const folder = packagesFolder(options)
      const pool = new ReactorPool({ packagesDir: fs.existsSync(folder) ? folder : null })
      try {
        const { ended, console } = await pool.run({
          owner: null,
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
    })
}

function addPackageCommand(): Command {
  return withPackages(new Command('add-package'))
    .description('Add packages of the npm registry, for reactors to require; none of their scripts is run')
    .argument('<name...>', 'a package, as in axios or axios@1.8.2')
    .addHelpText('after', '\nExamples:\n  coffer reactor add-package axios@1.8.2 uuid')
    .action(async (names: string[], options: Folder) => {
      const folder = packagesFolder(options)
      await addPackages(folder, names, (text) => void process.stderr.write(text))
      list(folder)
    })
}

function packagesCommand(): Command {
  return withPackages(new Command('packages'))
    .description('List the packages that reactors may require')
    .addHelpText('after', '\nExamples:\n  coffer reactor packages')
    .action((options: Folder) => list(packagesFolder(options)))
}

function list(folder: string): void {
  for (const { name, version } of packagesIn(folder)) say(`${name} ${version}`)
}

function withPackages(command: Command): Command {
  return command
    .addOption(
      new Option('--data-dir <dir>', 'folder the vaults are kept in')
        .env('COFFER_DATA_DIR')
        .default(undefined, dataDirectory()),
    )
    .option('--packages <dir>', 'folder of the packages; packages in the data folder by default')
    .option('--verbose', 'also print internal errors, without any data, on standard error')
}

function packagesFolder({ dataDir, packages }: Folder): string {
  if (packages !== undefined) return path.resolve(packages)
  return path.join(dataDir ? resolveFolder(dataDir) : dataDirectory(), 'packages')
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
