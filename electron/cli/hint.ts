import fs from 'node:fs'
import path from 'node:path'
import { dataDirectory } from '../host/files/data-dir.ts'

/** Both the built file and the source lie two folders below it. */
const root = path.join(import.meta.dirname, '..', '..')

type Started = {
  /** The script that was started. */
  readonly script: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether this is a checkout with its sources, not an installed package. */
  readonly isCheckout: boolean
}

/** What to type for `coffer` given how it was started: a clone or a project has no `coffer` on the PATH. */
export function programName({ script, env, isCheckout }: Started = startedNow()): string {
  if (path.basename(script) === 'coffer' && env.npm_command === undefined) return 'coffer'
  if (isCheckout) return 'npm run -s coffer --'
  return env.npm_command === undefined ? 'coffer' : 'npx --no-install coffer'
}

/** Where a guide is, such as `elements.md`: beside the sources of a checkout, or in the package. */
export function guidePath(name: string): string {
  const file = path.join(root, 'docs', name)
  const fromHere = path.relative('', file)
  return fromHere.startsWith('..') ? file : fromHere
}

/** A command to type, with `coffer` spelled as it is started here. */
export function hint(...words: readonly string[]): string {
  return [programName(), ...words.map((word) => quoted(word))].join(' ')
}

/** The same, with the options that select this vault where they are needed. */
export function hintFor(
  { dataDir, vault }: { readonly dataDir: string; readonly vault: string },
  ...words: readonly string[]
): string {
  const folder = dataDir === dataDirectory() ? [] : ['--data-dir', dataDir]
  const name = vault === (process.env.COFFER_VAULT ?? 'default') ? [] : ['--vault', vault]
  return hint(...words, ...name, ...folder)
}

/** A line for a shell as it is, or a program and its arguments, quoted for a shell. */
export function commandText(command: string | readonly string[]): string {
  return typeof command === 'string'
    ? command
    : command.map((word) => quoted(word, /^[\w@%+=:,./-]+$/)).join(' ')
}

function startedNow(): Started {
  const [, script = ''] = process.argv
  return { script, env: process.env, isCheckout: fs.existsSync(path.join(root, 'shared')) }
}

/** A word quoted for the shell. `<file>` and `…` are placeholders and stay bare. */
function quoted(word: string, plain = /^[\w@%+=:,./<>…-]+$/): string {
  if (plain.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`
}
