import type { Command } from 'commander'
import {
  checkServing,
  findConfig,
  type Given,
  isGiven,
  type ServeOptions,
} from '../terminal/serve-options.ts'
import { serveVault } from '../terminal/serving.ts'

/** Answers on localhost until stopped, with options that `checkServing` has checked. */
export async function serve(version: string, options: ServeOptions, command: Command): Promise<void> {
  const { given, portGiven } = await configured(options, command)
  return serveVault(version, given, portGiven)
}

/** Runs a program with a vault in memory. */
export async function run(
  version: string,
  words: string[],
  options: ServeOptions,
  command: Command,
): Promise<void> {
  checkServing(options)
  const { given } = await configured({ ...options, ephemeral: true }, command)
  return serveVault(version, { ...given, console: false, run: words }, true)
}

/** The options, completed from the configuration file, if there is one: only then is a parser of YAML loaded. */
async function configured(options: ServeOptions, command: Command): Promise<Given> {
  const found = findConfig(options.config)
  if (!found) return { given: options, portGiven: isGiven(command, 'port') }
  return (await import('../terminal/config-file.ts')).withConfig(found, options, command)
}
