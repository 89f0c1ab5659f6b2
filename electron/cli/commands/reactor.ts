import { Option } from 'commander'
import { runtimeImages } from '../../../shared/runtime-images.ts'
import type { Folder, RunFileOptions } from '../actions/reactor.ts'
import type { ReactorFilesOptions } from '../actions/reactor-files.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { jsonFailures } from './about.ts'

/**
 * `coffer reactor`: runs reactors without storing them, and copies stored reactors to and from a folder
 * (rules F-01 to F-03).
 */
export function reactorCommand(): CofferCommand {
  const reactor = new CofferCommand('reactor')
    .description('Run reactors, copy them to and from a folder, and install npm packages for them')
    .withHelp(`Examples:
  coffer reactor run split-name.js --args '{"name":"Ada Lovelace"}'
  coffer reactor push reactors
  coffer reactor add-package axios@1.8.2`)
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

function runCommand(): CofferCommand {
  return withPackages(new CofferCommand('run'))
    .description('Run a file as a reactor, without storing it; opens no vault and resolves no expressions')
    .argument('<file>', 'file with the code, which assigns a function to module.exports')
    .option('--args <json>', 'value of req.args in the code, or of event.req in node22', '{}')
    .option('--configuration <json>', 'configuration of the code: an object of strings', '{}')
    .addOption(
      new Option('--runtime <image>', 'runtime that the code is written for')
        .choices(runtimeImages)
        .default('node-bt'),
    )
    .option(...jsonFailures)
    .withHelp(`Examples:
  coffer reactor run reactor.js --args '{"name":"Ada Lovelace"}'
  coffer reactor run reactor.js --args '[1,2]' --configuration '{"GREETING":"hello"}'
  coffer reactor run reactor.js --runtime node22 --args '{"name":"Ada Lovelace"}'

The return value goes to standard output, and console output to standard error. The code has access to the network, but
not to files, other programs or the environment. It gets no client and no key.`)
    .action(async (file: string, options: RunFileOptions) =>
      (await import('../actions/reactor.ts')).runFile(file, options),
    )
}

function addPackageCommand(): CofferCommand {
  return withPackages(new CofferCommand('add-package'))
    .description('Install npm packages for reactors (install scripts are not run)')
    .argument(
      '[name...]',
      'name of a package, such as axios or axios@1.8.2, or path of a folder or .tgz file',
    )
    .option('--hosted', "add the packages of the hosted service's older runtime, in its versions")
    .withJson()
    .withHelp(`Examples:
  coffer reactor add-package axios@1.8.2 uuid
  coffer reactor add-package ./my-package ./other-1.0.0.tgz
  coffer reactor add-package --hosted

If a package cannot be added, the others are, and the command exits with 1.`)
    .action(async (names: string[], options: Folder & { json?: true; hosted?: true }) =>
      (await import('../actions/reactor.ts')).installPackages(names, options),
    )
}

function packagesCommand(): CofferCommand {
  return withPackages(new CofferCommand('packages'))
    .description('List the packages that reactors may require')
    .withJson()
    .withHelp('Examples:\n  coffer reactor packages')
    .action(async (options: Folder & { json?: true }) =>
      (await import('../actions/reactor.ts')).listPackages(options),
    )
}

function withPackages(command: CofferCommand): CofferCommand {
  return command
    .withDataDir()
    .option('--packages <dir>', 'folder of the packages; by default .packages in the data folder')
    .withVerbose()
}

/** `coffer reactor push`: stores the reactors of a folder in a running Coffer. */
function pushFolderCommand(): CofferCommand {
  return withFolder(new CofferCommand('push'))
    .description('Store each NAME.js in a folder as a reactor in a running Coffer')
    .withHelp(`Examples:
  coffer reactor push reactors --key key_local_mgt_…
  COFFER_MANAGEMENT_KEY=key_local_mgt_… coffer reactor push reactors --yes

A reactors.yml in the folder may name applications, configuration and runtimes. What it does not name stays unchanged, and
so does a configuration entry without a value. Before it replaces a stored reactor, the command shows the changes and
asks for confirmation, unless --yes is set. If a file cannot be compiled, nothing is pushed. Reactors without a file are
not changed.`)
    .action(async (folder: string, options: ReactorFilesOptions) =>
      (await import('../actions/reactor-files.ts')).pushFolder(folder, options),
    )
}

/** `coffer reactor pull`: writes the reactors of a running Coffer to a folder. */
function pullFolderCommand(): CofferCommand {
  return withFolder(new CofferCommand('pull'))
    .description('Write each reactor in a running Coffer to NAME.js in a folder')
    .withHelp(`Examples:
  coffer reactor pull reactors --key key_local_mgt_…

Names of applications and configuration entries, and runtimes, are written to reactors.yml; values of entries are not
written. Before it changes a file, the command shows the changes and asks for confirmation, unless --yes is set. Files
without a reactor are not changed.`)
    .action(async (folder: string, options: ReactorFilesOptions) =>
      (await import('../actions/reactor-files.ts')).pullFolder(folder, options),
    )
}

function withFolder(command: CofferCommand): CofferCommand {
  return command
    .withServer()
    .argument('<dir>', 'the folder')
    .option('--yes', 'replace existing reactors or files without asking')
    .withJson()
}
