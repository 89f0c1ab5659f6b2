import { type Argument, Command, Help, InvalidArgumentError, type Option } from 'commander'
import { environment, examples, exitCodes, jsonErrors, withoutJson } from './commands/about.ts'
import { apiCommand } from './commands/api.ts'
import { backupCommand, restoreCommand, verifyCommand } from './commands/backups.ts'
import { clockCommand } from './commands/clock.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommand, envCommand, exportOpenapiCommand } from './commands/configuration.ts'
import { compareCommand, conformCommand } from './commands/conform.ts'
import { contextCommand } from './commands/context.ts'
import { docsCommand } from './commands/docs.ts'
import { faultsCommand } from './commands/faults.ts'
import { resetCommand, runCommand, snapshotCommand } from './commands/in-memory.ts'
import { keysCommand } from './commands/keys.ts'
import { logsCommand } from './commands/logs.ts'
import { manCommand } from './commands/man.ts'
import {
  passphraseCommand,
  protectCommand,
  recoveryKeyCommand,
  rotateCommand,
} from './commands/protection.ts'
import { reactorCommand } from './commands/reactor.ts'
import { openCommand, stopCommand } from './commands/running.ts'
import { serveCommand } from './commands/serve.ts'
import { exportCommand, importCommand, pushCommand } from './commands/transfer.ts'
import { trustCommand } from './commands/trust.ts'
import { deleteCommand, doctorCommand, initCommand, statusCommand } from './commands/vaults.ts'
import { walletPayloadCommand } from './commands/wallet-payload.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { getGuidePath } from './hint.ts'
import { printHint } from './terminal/vault-options.ts'
import { wrapHelp } from './terminal/wrap-help.ts'

/** Maps each command's name to the function that creates it, in the order of the help. */
const commands: Readonly<Record<string, (version: string) => Command>> = {
  serve: serveCommand,
  run: runCommand,
  stop: stopCommand,
  open: openCommand,
  init: initCommand,
  status: statusCommand,
  api: apiCommand,
  logs: logsCommand,
  keys: keysCommand,
  env: envCommand,
  config: configCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  delete: deleteCommand,
  rotate: rotateCommand,
  doctor: doctorCommand,
  passphrase: passphraseCommand,
  protect: protectCommand,
  'recovery-key': recoveryKeyCommand,
  import: importCommand,
  export: exportCommand,
  push: pushCommand,
  reactor: reactorCommand,
  reset: resetCommand,
  snapshot: snapshotCommand,
  clock: clockCommand,
  faults: faultsCommand,
  webhooks: webhooksCommand,
  'wallet-payload': walletPayloadCommand,
  trust: trustCommand,
  'export-openapi': exportOpenapiCommand,
  conform: conformCommand,
  compare: compareCommand,
  context: contextCommand,
  docs: docsCommand,
  completion: completionCommand,
  man: manCommand,
}

/** Commands that need the definitions of all others. */
const aboutAll = ['completion', 'man']

function listCommands(only: string | undefined): ((version: string) => Command)[] {
  const isEnough = only !== undefined && Object.hasOwn(commands, only) && !aboutAll.includes(only)
  return Object.keys(commands).flatMap((name) => (isEnough && name !== only ? [] : (commands[name] ?? [])))
}

/**
 * Builds the CLI program. If `only` is the name of a command, builds just what that command needs. The code of a
 * command is loaded when it runs, so that help and usage errors are quick.
 */
export function buildProgram(version: string, only?: string): Command {
  const program = new Command('coffer')
    .description('A vault for developers: a local, offline stand-in for a hosted tokenization service.')
    .version(
      version,
      '-v, --version',
      'print the version; with --json also those of the vault format, Node and SQLite',
    )
    .showSuggestionAfterError()
    .configureHelp({
      optionDescription: (option) => new Help().optionDescription(removeEmptyDefault(option)),
    })
    // `runProgram` reports every failure in the same form.
    .exitOverride()
    .configureOutput({
      outputError() {},
      // Commander wraps its part of the help to the same width.
      writeOut: (text) => void process.stdout.write(wrapHelp(text, process.stdout.columns ?? 80)),
    })
    .hook('preAction', async (_program, action) => {
      const { setIncidentPrinter: printIncidents } = await import('../host/incidents/incidents.ts')
      printIncidents(action.opts<{ verbose?: true }>().verbose ? printHint : null)
    })
    .addHelpText(
      'after',
      `
Examples:
${examples}

Environment:
${formatTable(environment)}

Exit codes:
${formatTable(exitCodes)}

${jsonErrors}

Guides:
  ${getGuidePath('README.md')}`,
    )
  for (const command of listCommands(only).map((create) => create(version))) {
    for (const each of [command, ...command.commands]) {
      each.copyInheritedSettings(program)
      rejectEmpty(each)
    }
    const reason = withoutJson[command.name()]
    if (reason !== undefined) command.addHelpText('after', `\nThere is no --json. ${reason}`)
    program.addCommand(command)
  }
  return program
}

/**
 * Rejects empty values, which come from unset variables in scripts: an empty folder name would select the owner's own
 * vaults, or the working directory. If an option has a parser, the parser checks the value instead. The arguments of a
 * program that `coffer run` starts may be empty.
 */
function rejectEmpty(command: Command): void {
  const taking = command.options.filter(({ required, optional }) => required || optional)
  const values: (Option | Argument)[] = [...taking, ...command.registeredArguments]
  for (const each of values.filter(({ parseArg, variadic }) => !parseArg && !variadic)) {
    each.argParser(notEmpty)
  }
  for (const each of taking.filter(({ parseArg, variadic }) => !parseArg && variadic)) {
    each.argParser((text, before: string[] = []) => [...before, notEmpty(text)])
  }
}

function notEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

/**
 * Returns the option without a default value that the help cannot print, such as the empty list of a repeatable option.
 */
function removeEmptyDefault(option: Option): Option {
  const hasPrintableDefault = ['string', 'number'].includes(typeof option.defaultValue)
  return hasPrintableDefault
    ? option
    : Object.assign(Object.create(option) as Option, { defaultValue: undefined })
}

function formatTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`).join('\n')
}
