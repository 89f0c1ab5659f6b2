import type { Command } from 'commander'
import {
  checkServing,
  findConfig,
  isSet,
  type ResolvedServeOptions,
  type ServeOptions,
} from '../terminal/serve-options.ts'
import { serveVault } from '../terminal/serving.ts'

/** Serves on localhost until stopped. `checkServing` must have checked the options. */
export async function runServe(version: string, options: ServeOptions, command: Command): Promise<void> {
  const { resolved, isPortSet } = await applyConfigFile(options, command)
  return serveVault(version, resolved, isPortSet)
}

/** Runs a program with an in-memory vault. */
export async function runProgramWithVault(
  version: string,
  args: string[],
  options: ServeOptions,
  command: Command,
): Promise<void> {
  checkServing(options)
  const { resolved } = await applyConfigFile({ ...options, ephemeral: true }, command)
  return serveVault(version, { ...resolved, console: false, run: args }, true)
}

/**
 * Completes the options from the configuration file, if there is one. Without such a file, the YAML parser is not
 * loaded.
 */
async function applyConfigFile(options: ServeOptions, command: Command): Promise<ResolvedServeOptions> {
  const configFile = findConfig(options.config)
  if (!configFile) return { resolved: options, isPortSet: isSet(command, 'port') }
  return (await import('../terminal/config-file.ts')).applyConfig(configFile, options, command)
}
