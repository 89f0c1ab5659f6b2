import { type Command, Option } from 'commander'
import { parsePort, type VaultLocation } from './vault-options.ts'

/** Selects a running in-memory vault. */
export type InMemory = { readonly ephemeral?: true; readonly port?: number }

export function withInMemory(command: Command): Command {
  return command
    .option('--ephemeral', 'use the running in-memory vault')
    .addOption(
      new Option('--port <port>', 'port of the in-memory vault, if several are running').argParser(parsePort),
    )
}

/** Returns the name of a vault for prompts and file names: `in-memory` for an in-memory vault, which has no name. */
export function getVaultName({ vault }: VaultLocation, { ephemeral }: InMemory): string {
  return ephemeral ? 'in-memory' : vault
}
