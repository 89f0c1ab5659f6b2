import { type Command, Option } from 'commander'
import { parsePort, type VaultLocation } from './vault-options.ts'

/** Which vault in memory is meant, if one is. */
export type InMemory = { readonly ephemeral?: true; readonly port?: number }

/** Adds the options that choose a vault in memory. */
export function withInMemory(command: Command): Command {
  return command
    .option('--ephemeral', 'use the vault in memory that is running')
    .addOption(
      new Option('--port <port>', 'which vault in memory, if several are running').argParser(parsePort),
    )
}

/** What a vault is called in questions and files; vaults in memory have no name. */
export function getVaultName({ vault }: VaultLocation, { ephemeral }: InMemory): string {
  return ephemeral ? 'in-memory' : vault
}
