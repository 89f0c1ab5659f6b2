import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import { getDataDirectory, resolveFolder } from '../../host/files/data-dir.ts'
import { isVaultName, vaultNameRule } from '../../host/files/vault-files.ts'

/** The data folder and vault a command works on. */
export type VaultLocation = { readonly dataDir: string; readonly vault: string }

export const DEFAULT_PORT = 4747

/** Returns the location that a command's options name. */
export function toVaultLocation({
  dataDir,
  vault,
}: {
  dataDir?: string | undefined
  vault: string
}): VaultLocation {
  return { dataDir: dataDir ? resolveFolder(dataDir) : getDataDirectory(), vault }
}

/** Returns the file that lists the contexts of `coffer context`. */
export function getContextsFile(): string {
  return path.join(getDataDirectory(), 'contexts.json')
}

/** Parses the name of a vault. Throws an InvalidArgumentError. */
export function parseVaultName(name: string): string {
  if (isVaultName(name)) return name
  throw new InvalidArgumentError(`It ${vaultNameRule}.`)
}

/** Parses a port number from 0 to 65535. Throws an InvalidArgumentError. */
export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535; 0 picks a free port.')
}

export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Prints one line on stderr, apart from the output that programs read. */
export function printHint(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Adds a full stop to a string, unless it ends with one, or with a question mark or exclamation mark. */
export function addFullStop(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}
