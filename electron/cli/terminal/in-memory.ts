import { type Command, Option } from 'commander'
import { parsePort, type VaultLocation } from './vault-options.ts'

/** Selects a running vault in memory. */
export type InMemory = { readonly ephemeral?: true; readonly port?: number }

/** Adds the options that choose a vault in memory. */
export function withInMemory(command: Command): Command {
  return command
    .option('--ephemeral', 'use the running vault in memory')
    .addOption(
      new Option('--port <port>', 'port of the vault in memory, if several are running').argParser(parsePort),
    )
}

/** Returns the name of a vault for prompts and file names; vaults in memory have none of their own. */
export function getVaultName({ vault }: VaultLocation, { ephemeral }: InMemory): string {
  return ephemeral ? 'in-memory' : vault
}
