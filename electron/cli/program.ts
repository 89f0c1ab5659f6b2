import { Command } from 'commander'
import { environment, examples, exitCodes, jsonErrors } from './about.ts'
import { backupCommand } from './backup.ts'
import { completionCommand } from './completion.ts'
import { deleteCommand } from './delete.ts'
import { doctorCommand } from './doctor.ts'
import { envCommand } from './env.ts'
import { exportCommand } from './export.ts'
import { exportOpenapiCommand } from './export-openapi.ts'
import { importCommand } from './import.ts'
import { initCommand } from './init.ts'
import { keysCommand } from './keys.ts'
import { manCommand } from './man.ts'
import { passphraseCommand, protectCommand } from './protect.ts'
import { pushCommand } from './push.ts'
import { recoveryKeyCommand } from './recovery-key.ts'
import { resetCommand } from './reset.ts'
import { restoreCommand } from './restore.ts'
import { rotateCommand } from './rotate.ts'
import { serveCommand } from './serve.ts'
import { snapshotCommand } from './snapshot.ts'
import { statusCommand } from './status.ts'
import { verifyCommand } from './verify.ts'

/** The command line, whole. */
export function buildProgram(version: string): Command {
  const program = new Command('coffer')
    .description('A vault for developers: the whole tokenization service on this machine, offline.')
    .version(version, '-v, --version')
    .showSuggestionAfterError()
    // Who runs it says what went wrong, in one form for everything.
    .exitOverride()
    .configureOutput({ outputError() {} })
    .addHelpText(
      'after',
      `
Examples:
${examples}

Environment:
${table(environment)}

Exit codes:
${table(exitCodes)}

${jsonErrors}`,
    )
  for (const command of [
    serveCommand(version),
    initCommand(),
    statusCommand(),
    keysCommand(),
    envCommand(),
    backupCommand(),
    restoreCommand(),
    verifyCommand(),
    deleteCommand(),
    rotateCommand(),
    doctorCommand(),
    passphraseCommand(),
    protectCommand(),
    recoveryKeyCommand(),
    importCommand(),
    exportCommand(),
    pushCommand(),
    resetCommand(),
    snapshotCommand(),
    exportOpenapiCommand(),
    completionCommand(),
    manCommand(version),
  ]) {
    for (const each of [command, ...command.commands]) each.copyInheritedSettings(program)
    program.addCommand(command)
  }
  return program
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`).join('\n')
}
