import fs from 'node:fs'
import path from 'node:path'
import { getDataDirectory } from '../host/files/data-dir.ts'

/** The root of the package, two folders above both the built file and the source. */
const root = path.join(import.meta.dirname, '..', '..')

type StartedProgram = {
  readonly script: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether this is a checkout with its sources, not an installed package. */
  readonly isCheckout: boolean
}

/**
 * Returns the command that runs `coffer`. It depends on how this process was started, because a clone or a project has
 * no `coffer` on the PATH.
 */
export function getProgramName({ script, env, isCheckout }: StartedProgram = startedNow()): string {
  if (path.basename(script) === 'coffer' && env.npm_command === undefined) return 'coffer'
  if (isCheckout) return 'npm run -s coffer --'
  return env.npm_command === undefined ? 'coffer' : 'npx --no-install coffer'
}

/** Returns the path of a guide such as `elements.md`, relative if it is below the working directory. */
export function getGuidePath(name: string): string {
  const file = path.join(root, 'docs', name)
  const relativeFile = path.relative('', file)
  return relativeFile.startsWith('..') ? file : relativeFile
}

/** Formats a command to type, which begins with `getProgramName()`. */
export function formatCommand(...args: readonly string[]): string {
  return [getProgramName(), ...args.map((arg) => quoteArgument(arg))].join(' ')
}

/** Formats a command with `--vault` and `--data-dir`, each only if it is not the default. */
export function formatVaultCommand(
  { dataDir, vault }: { readonly dataDir: string; readonly vault: string },
  ...args: readonly string[]
): string {
  const name = vault === (process.env.COFFER_VAULT ?? 'default') ? [] : ['--vault', vault]
  return formatFolderCommand(dataDir, ...args, ...name)
}

/** Formats a command with `--data-dir`, only if it is not the default. */
export function formatFolderCommand(dataDir: string, ...args: readonly string[]): string {
  return formatCommand(...args, ...(dataDir === getDataDirectory() ? [] : ['--data-dir', dataDir]))
}

/** Formats a command line: a shell command unchanged, or a program and its arguments quoted. */
export function formatCommandLine(command: string | readonly string[]): string {
  return typeof command === 'string'
    ? command
    : command.map((arg) => quoteArgument(arg, /^[\w@%+=:,./-]+$/)).join(' ')
}

function startedNow(): StartedProgram {
  const [, script = ''] = process.argv
  return { script, env: process.env, isCheckout: fs.existsSync(path.join(root, 'shared')) }
}

/** Quotes an argument for the shell, except placeholders such as `<file>` and `…`. */
function quoteArgument(arg: string, plain = /^[\w@%+=:,./<>…-]+$/): string {
  if (plain.test(arg)) return arg
  return process.platform === 'win32' ? `"${arg}"` : `'${arg.replaceAll("'", "'\\''")}'`
}
