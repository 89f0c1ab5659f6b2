import { Command, Option } from 'commander'
import { dataDirectory } from '../../host/files/data-dir.ts'
import type { Folder } from '../actions/reactor.ts'
import { pullFolderCommand, pushFolderCommand } from './reactor-files.ts'

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
    .action(async (file: string, options: Folder & { args: string; configuration: string }) =>
      (await import('../actions/reactor.ts')).runFile(file, options),
    )
}

function addPackageCommand(): Command {
  return withPackages(new Command('add-package'))
    .description('Add packages of the npm registry, for reactors to require; none of their scripts is run')
    .argument('<name...>', 'a package, as in axios or axios@1.8.2')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText('after', '\nExamples:\n  coffer reactor add-package axios@1.8.2 uuid')
    .action(async (names: string[], options: Folder & { json?: true }) =>
      (await import('../actions/reactor.ts')).installPackages(names, options),
    )
}

function packagesCommand(): Command {
  return withPackages(new Command('packages'))
    .description('List the packages that reactors may require')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText('after', '\nExamples:\n  coffer reactor packages')
    .action(async (options: Folder & { json?: true }) =>
      (await import('../actions/reactor.ts')).listPackages(options),
    )
}

function withPackages(command: Command): Command {
  return command
    .addOption(
      new Option('--data-dir <dir>', 'folder the vaults are kept in')
        .env('COFFER_DATA_DIR')
        .default(undefined, dataDirectory()),
    )
    .option('--packages <dir>', 'folder of the packages; .packages in the data folder by default')
    .option('--verbose', 'also print internal errors, without any data, on standard error')
}
