import fs from 'node:fs'
import path from 'node:path'
import { dataDirectory } from '../host/files/data-dir.ts'

/** Both the built file and the source lie two folders below it. */
const root = path.join(import.meta.dirname, '..', '..')

type StartedProgram = {
  /** The script that was started. */
  readonly script: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether this is a checkout with its sources, not an installed package. */
  readonly isCheckout: boolean
}

/** What to type for `coffer` given how it was started: a clone or a project has no `coffer` on the PATH. */
export function programName({ script, env, isCheckout }: StartedProgram = startedNow()): string {
  if (path.basename(script) === 'coffer' && env.npm_command === undefined) return 'coffer'
  if (isCheckout) return 'npm run -s coffer --'
  return env.npm_command === undefined ? 'coffer' : 'npx --no-install coffer'
}

/** Where a guide is, such as `elements.md`: beside the sources of a checkout, or in the package. */
export function guidePath(name: string): string {
  const file = path.join(root, 'docs', name)
  const relativeFile = path.relative('', file)
  return relativeFile.startsWith('..') ? file : relativeFile
}

/** A command to type, with `coffer` spelled as it is started here. */
export function formatCommand(...args: readonly string[]): string {
  return [programName(), ...args.map((word) => quoteWord(word))].join(' ')
}

/** The same, with the options that select this vault where they are needed. */
export function formatVaultCommand(
  { dataDir, vault }: { readonly dataDir: string; readonly vault: string },
  ...args: readonly string[]
): string {
  const folder = dataDir === dataDirectory() ? [] : ['--data-dir', dataDir]
  const name = vault === (process.env.COFFER_VAULT ?? 'default') ? [] : ['--vault', vault]
  return formatCommand(...args, ...name, ...folder)
}

/** A line for a shell as it is, or a program and its arguments, quoted for a shell. */
export function formatCommandLine(command: string | readonly string[]): string {
  return typeof command === 'string'
    ? command
    : command.map((word) => quoteWord(word, /^[\w@%+=:,./-]+$/)).join(' ')
}

function startedNow(): StartedProgram {
  const [, script = ''] = process.argv
  return { script, env: process.env, isCheckout: fs.existsSync(path.join(root, 'shared')) }
}

/** A word quoted for the shell. `<file>` and `…` are placeholders and stay bare. */
function quoteWord(word: string, plain = /^[\w@%+=:,./<>…-]+$/): string {
  if (plain.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
