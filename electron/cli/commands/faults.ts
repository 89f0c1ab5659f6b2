import { InvalidArgumentError, Option } from 'commander'
import type { SetFaultOptions } from '../actions/faults.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { parseDuration } from '../terminal/duration.ts'
import type { PrintOptions } from '../terminal/server-options.ts'

/** `coffer faults`: sets, lists and removes the faults of a running Coffer. */
export function faultsCommand(): CofferCommand {
  const faults = new CofferCommand('faults')
    .description('Set, list and remove the faults of a running Coffer')
    .withHelp(`Examples:
  coffer faults set busy --operation tokens.create --status 503 --count 2
  coffer faults list
  coffer faults clear`)
  for (const each of [setCommand(), listCommand(), clearCommand()]) faults.addCommand(each)
  return faults
}

function createPart(name: string): CofferCommand {
  return new CofferCommand(name).withServer().withJson()
}

function setCommand(): CofferCommand {
  return createPart('set')
    .argument('[name]', 'name of the fault, which replaces one of the same name')
    .description('Delay, refuse or cut off calls')
    .option(
      '--operation <names...>',
      'operations that it affects, such as tokens.create or tokens.*; all by default',
    )
    .addOption(new Option('--status <status>', 'respond with this status instead').argParser(parseNumber))
    .addOption(new Option('--retry-after <seconds>', 'also send Retry-After').argParser(parseNumber))
    .addOption(new Option('--delay <duration>', 'wait, such as 2s').argParser(parseDuration))
    .option('--cut', 'close the connection instead of responding')
    .option('--after', 'execute the operation first, so that only its response is lost')
    .addOption(
      new Option('--count <calls>', 'how many calls it affects; all by default').argParser(parseNumber),
    )
    .addOption(
      new Option('--share <share>', 'share of calls that it affects, such as 0.1').argParser(parseNumber),
    )
    .option('--file <file>', 'replace all faults by those of a file in YAML or JSON')
    .withHelp(`Examples:
  coffer faults set busy --operation tokens.create --status 503 --retry-after 2 --count 2
  coffer faults set slow --delay 2s --share 0.1
  coffer faults set lost --operation 'tokens.*' --cut --after
  coffer faults set --file coffer.faults.yaml

Faults work with an in-memory vault, or if the settings allow them.`)
    .action(async (name: string | undefined, options: SetFaultOptions) =>
      (await import('../actions/faults.ts')).setFault(name, options),
    )
}

function listCommand(): CofferCommand {
  return createPart('list')
    .description('List the faults, and how many calls each has affected')
    .withHelp('Examples:\n  coffer faults list\n  coffer faults list --json')
    .action(async (options: PrintOptions) => (await import('../actions/faults.ts')).listFaults(options))
}

function clearCommand(): CofferCommand {
  return createPart('clear')
    .argument('[name]', 'name of the fault; all by default')
    .description('Remove a fault, or all faults')
    .withHelp('Examples:\n  coffer faults clear busy\n  coffer faults clear')
    .action(async (name: string | undefined, options: PrintOptions) =>
      (await import('../actions/faults.ts')).clearFaults(name, options),
    )
}

function parseNumber(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number.')
}
