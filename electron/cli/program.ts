import { type Argument, Command, Help, InvalidArgumentError, type Option } from 'commander'
import { environment, examples, exitCodes, jsonErrors } from './commands/about.ts'
import { backupCommand } from './commands/backup.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config.ts'
import { deleteCommand } from './commands/delete.ts'
import { doctorCommand } from './commands/doctor.ts'
import { envCommand } from './commands/env.ts'
import { exportCommand } from './commands/export.ts'
import { exportOpenapiCommand } from './commands/export-openapi.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { keysCommand } from './commands/keys.ts'
import { manCommand } from './commands/man.ts'
import { passphraseCommand, protectCommand } from './commands/protect.ts'
import { pushCommand } from './commands/push.ts'
import { reactorCommand } from './commands/reactor.ts'
import { recoveryKeyCommand } from './commands/recovery-key.ts'
import { resetCommand } from './commands/reset.ts'
import { restoreCommand } from './commands/restore.ts'
import { rotateCommand } from './commands/rotate.ts'
import { runCommand } from './commands/run.ts'
import { serveCommand } from './commands/serve.ts'
import { snapshotCommand } from './commands/snapshot.ts'
import { statusCommand } from './commands/status.ts'
import { verifyCommand } from './commands/verify.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { guidePath } from './hint.ts'
import { printHint } from './terminal/vault-options.ts'
import { wrapHelp } from './terminal/wrap-help.ts'

/** Every command by its name, in the order of the help. */
const commands: Readonly<Record<string, (version: string) => Command>> = {
  serve: serveCommand,
  run: runCommand,
  init: initCommand,
  status: statusCommand,
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
  webhooks: webhooksCommand,
  'export-openapi': exportOpenapiCommand,
  completion: completionCommand,
  man: manCommand,
}

/** These print the whole command line. */
const aboutAll = ['completion', 'man']

function commandsFor(only: string | undefined): ((version: string) => Command)[] {
  const isEnough = only !== undefined && Object.hasOwn(commands, only) && !aboutAll.includes(only)
  return Object.keys(commands).flatMap((name) => (isEnough && name !== only ? [] : (commands[name] ?? [])))
}

/**
 * The whole command line; with `only` the name of a command, as much of it as running that one needs. What a command
 * does is loaded when it runs, so that help and refusals are quick.
 */
export function buildProgram(version: string, only?: string): Command {
  const program = new Command('coffer')
    .description('A vault for developers: the whole tokenization service on this machine, offline.')
    .version(version, '-v, --version')
    .showSuggestionAfterError()
    .configureHelp({
      optionDescription: (option) => new Help().optionDescription(removeEmptyDefault(option)),
    })
    // `runProgram` reports every failure, in one form.
    .exitOverride()
    .configureOutput({
      outputError() {},
      // Commander wraps its own part to the same width.
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
  ${guidePath('README.md')}`,
    )
  for (const command of commandsFor(only).map((make) => make(version))) {
    for (const each of [command, ...command.commands]) {
      each.copyInheritedSettings(program)
      rejectEmpty(each)
    }
    program.addCommand(command)
  }
  return program
}

/**
 * Refuses an empty value, which an unset variable of a script gives: as a folder it would stand for the owner's own
 * vaults, or for the working directory. Values that are checked anyway are refused there; among the words of a program
 * that `coffer run` starts, an empty one has a meaning.
 */
function rejectEmpty(command: Command): void {
  const taking = command.options.filter(({ required, optional }) => required || optional)
  const values: (Option | Argument)[] = [...taking, ...command.registeredArguments]
  for (const each of values.filter(({ parseArg, variadic }) => !parseArg && !variadic)) {
    each.argParser(notEmpty)
  }
}

function notEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

/** The same option; without its default where that is nothing, as for a repeatable option. */
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
