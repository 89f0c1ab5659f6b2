import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { describeSystemError } from '../../engine/index.ts'
import { printHint } from './vault-options.ts'

const names = ['COFFER_PASSPHRASE', 'COFFER_NEW_PASSPHRASE'] as const
type SecretName = (typeof names)[number]
type SecretInput = { readonly value?: string | undefined; readonly file?: string | undefined }

const taken = new Map<SecretName, SecretInput>()

/**
 * Removes the secrets from the environment of this process, so that no program it runs inherits them. The initial
 * environment stays readable to this user and to root, in `/proc` on Linux.
 */
export function takeSecrets(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of names) {
    taken.set(name, {
      value: environment[name] || undefined,
      file: environment[`${name}_FILE`] || undefined,
    })
    // SECURITY: deleted before anything else can read or inherit it.
    delete environment[name]
    delete environment[`${name}_FILE`]
  }
}

/** Clears the secrets, for a command that keeps running after it has opened its vault. */
export function clearSecrets(): void {
  taken.clear()
}

/** Reads `COFFER_PASSPHRASE`: a passphrase or a recovery key. Throws `invalid` like `readSecret`. */
export function readPassphrase(): string | undefined {
  return readSecret('COFFER_PASSPHRASE')
}

/** Reads `COFFER_NEW_PASSPHRASE`. Throws `invalid` like `readSecret`. */
export function readNewPassphrase(): string | undefined {
  return readSecret('COFFER_NEW_PASSPHRASE')
}

/** Returns the variable, or the first line of its file. Throws `invalid` if both are set, and if that line is empty. */
function readSecret(name: SecretName): string | undefined {
  const { value, file } = taken.get(name) ?? {}
  if (file === undefined) return value
  if (value !== undefined) {
    throw new CofferError('invalid', `${name} and ${name}_FILE are both set. Set one of them.`)
  }
  const line = readFirstLine(name, path.resolve(file))
  taken.set(name, { value: line })
  return line
}

function readFirstLine(name: SecretName, file: string): string {
  let line: string | undefined
  let mode: number
  try {
    line = fs.readFileSync(file, 'utf8').split(/\r?\n/, 1)[0]
    mode = fs.statSync(file).mode
  } catch (error) {
    throw new CofferError(
      'invalid',
      `The file named by ${name}_FILE cannot be read: ${describeSystemError(error)}.`,
      {
        cause: error,
      },
    )
  }
  if (!line) throw new CofferError('invalid', `The first line of the file named by ${name}_FILE is empty.`)
  // Files in /run/secrets are readable to all users of a container, which normally has only one.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0 && !file.startsWith('/run/secrets/')) {
    printHint(`Other users can read ${file}. To prevent that: chmod 600 ${file}`)
  }
  return line
}
