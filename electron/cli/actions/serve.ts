import type { Command } from 'commander'
import { withConfig } from '../terminal/config-file.ts'
import { checkServing, type ServeOptions } from '../terminal/serve-options.ts'
import { serveVault } from '../terminal/serving.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Answers on localhost until stopped. */
export function serve(version: string, options: ServeOptions, command: Command): Promise<void> {
  if (typeof options.run === 'string' && options.run.trim() === '')
    throw new UsageError('--run needs a command.')
  checkServing(options)
  const { given, portGiven } = withConfig(options, command)
  return serveVault(version, given, portGiven)
}

/** Runs a program with a vault in memory. */
export function run(
  version: string,
  words: string[],
  options: ServeOptions,
  command: Command,
): Promise<void> {
  checkServing(options)
  const { given } = withConfig({ ...options, ephemeral: true }, command)
  return serveVault(version, { ...given, console: false, run: words }, true)
}
