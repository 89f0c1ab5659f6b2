import { Command, Option } from 'commander'
import { getDataDirectory } from '../../host/files/data-dir.ts'
import type { Folder } from '../actions/reactor.ts'
import { pullFolderCommand, pushFolderCommand } from './reactor-files.ts'

/**
 * `coffer reactor`: runs reactors without storing them, and copies stored reactors to and from a folder
 * (rules F-01 to F-03).
 */
export function reactorCommand(): Command {
  const reactor = new Command('reactor')
    .description('Run reactors, copy them to and from a folder, and install npm packages for them')
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
    .description('Run a file as a reactor, without storing it; opens no vault and resolves no expressions')
    .argument('<file>', 'file with the code, which assigns a function to module.exports')
    .requiredOption('--args <json>', 'value of req.args in the code')
    .option('--configuration <json>', 'value of req.configuration in the code: an object of strings', '{}')
    .option('--json', 'print failures also as one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer reactor run reactor.js --args '{"name":"Ada Lovelace"}'
  coffer reactor run reactor.js --args '[1,2]' --configuration '{"GREETING":"hello"}'

The return value goes to standard output, and console output to standard error. The code has access to the network, but
not to files, other programs or the environment. req.bt is null.`,
    )
    .action(async (file: string, options: Folder & { args: string; configuration: string }) =>
      (await import('../actions/reactor.ts')).runFile(file, options),
    )
}

function addPackageCommand(): Command {
  return withPackages(new Command('add-package'))
    .description('Install npm packages for reactors (install scripts are not run)')
    .argument('<name...>', 'name of a package, such as axios or axios@1.8.2')
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
      new Option('--data-dir <dir>', 'folder that holds the vaults')
        .env('COFFER_DATA_DIR')
        .default(undefined, getDataDirectory()),
    )
    .option('--packages <dir>', 'folder of the packages; by default .packages in the data folder')
    .option('--verbose', 'also print internal errors, without any data, on standard error')
}
