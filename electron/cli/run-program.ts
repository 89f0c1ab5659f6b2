import fs from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { isIncident, toCofferError, toStorageError } from '../engine/index.ts'
import { formatCommand, formatVaultCommand } from './hint.ts'
import { buildProgram } from './program.ts'
import { Interrupted } from './terminal/interrupted.ts'
import { takeSecrets } from './terminal/secrets.ts'
import { UsageError } from './terminal/usage-error.ts'
import {
  addFullStop,
  getContextsFile,
  printHint,
  printLine,
  toVaultLocation,
} from './terminal/vault-options.ts'

const USAGE = 2

/**
 * Runs a command line (the arguments after `coffer`) and returns its exit code: 2 for a usage error, 128 plus the
 * signal's number if a signal ended it, 1 for any other failure. A failure prints one sentence to stderr and, with
 * `--json`, also one line to stdout: `{ "error": { "code", "message" } }`.
 */
export async function runProgram(version: string, args: readonly string[]): Promise<number> {
  takeSecrets()
  const program = buildProgram(version, args[0])
  const { parsedArgs, command } = interpretArgs(program, args)
  try {
    if (command === program && parsedArgs.some(isVersionOption) && wantsJson(args)) {
      const { printVersions } = await import('./actions/version.ts')
      printVersions(version)
      return 0
    }
    await selectContext(command)
    await program.parseAsync(parsedArgs, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const error = withFile(thrown)
    await reportIncident(error, command)
    const { code, message, exitCode } = toFailure(error, command)
    printHint(`coffer: ${message}`)
    if (wantsJson(args)) printLine(JSON.stringify({ error: { code, message } }))
    return exitCode
  }
}

/** Applies the context of `coffer context use` or COFFER_CONTEXT, except to commands that work on no vault. */
async function selectContext(command: Command): Promise<void> {
  const [first] = getCommandPath(command)
  if (first === undefined || withoutContext.has(first)) return
  if (process.env.COFFER_CONTEXT === undefined && !fs.existsSync(getContextsFile())) return
  const { applyContext } = await import('./terminal/contexts.ts')
  applyContext()
}

const withoutContext: ReadonlySet<string> = new Set(['context', 'completion', 'man', 'docs', 'config'])

/** Codes of system errors that concern a named file: its path, type or permissions. */
const fileErrorCodes = /^(EACCES|ELOOP|ENAMETOOLONG|ENOTDIR|EPERM|EROFS)$/

/**
 * Converts an internal error about a file into one that names the file for the owner. Returns any other error
 * unchanged.
 */
function withFile(error: unknown): unknown {
  let root = error
  while (root instanceof CofferError && root.code === 'internal') root = root.cause
  if (!(root instanceof Error)) return error
  const { code = '', path, syscall = '' } = root as NodeJS.ErrnoException
  const isFile = path !== undefined && fileErrorCodes.test(code) && !syscall.startsWith('spawn')
  return isFile ? toStorageError(root, path) : error
}

async function reportIncident(error: unknown, command: Command): Promise<void> {
  if (error instanceof CommanderError || !isIncident(toCofferError(error))) return
  const { dataDir, ephemeral } = command.opts<{ dataDir?: string; ephemeral?: true }>()
  const folder = ephemeral ? null : toVaultLocation({ dataDir, vault: '' }).dataDir
  const { getIncidents } = await import('../host/incidents/incidents.ts')
  getIncidents(folder).reportError(error, ['coffer', ...getCommandPath(command)].join(' '))
}

/**
 * Rewrites arguments such as `help serve` and `version` as options, and finds the command that the arguments name.
 * Unknown words are left for commander to reject.
 */
function interpretArgs(
  program: Command,
  args: readonly string[],
): { parsedArgs: string[]; command: Command } {
  const [first, ...rest] = args
  if (first === 'version' || first === '-V') return { parsedArgs: ['--version'], command: program }
  const asksHelp = first === 'help' || args.includes('--help') || args.includes('-h')
  const commandArgs = first === 'help' ? rest : args
  let command = program
  for (const [index, word] of commandArgs.entries()) {
    const next = command.commands.find((each) => each.name() === word)
    if (next) command = next
    // Printing the program's help would hide that the command does not exist.
    else if (asksHelp && command.commands.length > 0 && !word.startsWith('-')) {
      return { parsedArgs: commandArgs.slice(0, index + 1), command }
    } else break
  }
  return { parsedArgs: first === 'help' ? [...rest, '--help'] : [...args], command }
}

function toFailure(error: unknown, command: Command): { code: string; message: string; exitCode: number } {
  if (error instanceof CommanderError) {
    const path = getCommandPath(command)
    // Commander has already printed the help, because the group was called without a command.
    const message =
      error.code === 'commander.help'
        ? `Name a command, as in ${formatCommand(...path, '<command>')}.`
        : `${formatUsageError(error.message)} See ${formatCommand(...path, '--help')}.`
    return { code: 'usage', message, exitCode: USAGE }
  }
  const { code, message: text, errors, lost_commits } = toCofferError(error)
  // All other messages are complete sentences. Some end with a command to type, which takes no full stop.
  const fullText = errors === undefined ? text : addFullStop(text)
  const message =
    lost_commits === undefined ? fullText : `${fullText} ${describeAcceptLoss(lost_commits, command)}`
  if (error instanceof UsageError) return { code: 'usage', message, exitCode: USAGE }
  return { code, message, exitCode: error instanceof Interrupted ? error.exitCode : 1 }
}

/** Tells the owner how to open a vault although commits are missing. */
function describeAcceptLoss(lost_commits: number, command: Command): string {
  const { dataDir, vault } = command.opts<{ dataDir?: string; vault?: string }>()
  const location = toVaultLocation({ dataDir, vault: vault ?? 'default' })
  return `To open the vault anyway, run: ${formatVaultCommand(location, 'serve', '--accept-loss', String(lost_commits))}`
}

function getCommandPath(command: Command): string[] {
  return command.parent ? [...getCommandPath(command.parent), command.name()] : []
}

/** Rewrites commander's message as a sentence. SECURITY: it drops the rejected value, which may be a key. */
function formatUsageError(message: string): string {
  const plain = message
    .replace(/^error: /, '')
    .replace(/^option '(.*?)' value '.*' from env '(\w+)' is invalid\./s, "$2, which sets '$1', is invalid.")
    .replace(/^option '(.*?)' argument '.*' is invalid\./s, "the value of '$1' is invalid.")
    .replace(
      /^command-argument value '.*' is invalid for argument '(.*?)'\./s,
      'the argument <$1> is invalid.',
    )
    .replace(/^(unknown option '[^'=]*)=.*?'/s, "$1'")
    .replace(/^(too many arguments.*?): .*$/s, '$1')
    .replace(/\n\((.*)\)$/, '. $1')
  return addFullStop(plain.charAt(0).toUpperCase() + plain.slice(1))
}

function isVersionOption(arg: string): boolean {
  return arg === '--version' || arg === '-v'
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}
