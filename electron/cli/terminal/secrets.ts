import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { describeSystemError } from '../../engine/db/describe-system-error.ts'
import { printHint } from './vault-options.ts'

const names = ['COFFER_PASSPHRASE', 'COFFER_NEW_PASSPHRASE'] as const
type SecretName = (typeof names)[number]
type SecretInput = { readonly value?: string | undefined; readonly file?: string | undefined }

/** What the environment of this process held. */
const taken = new Map<SecretName, SecretInput>()

/**
 * Takes the secrets out of the environment of this process, so that no command it runs inherits them. What they were
 * started with stays readable to this user and to root, in `/proc` on Linux.
 */
export function takeSecrets(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of names) {
    taken.set(name, {
      value: environment[name] || undefined,
      file: environment[`${name}_FILE`] || undefined,
    })
    // SECURITY: before anything else can read or inherit it.
    delete environment[name]
    delete environment[`${name}_FILE`]
  }
}

/** Forgets the secrets, for a command that keeps running after it has opened its vault. */
export function clearSecrets(): void {
  taken.clear()
}

/** `COFFER_PASSPHRASE`: a passphrase or a recovery key. Throws `invalid` as `secret` does. */
export function readPassphrase(): string | undefined {
  return readSecret('COFFER_PASSPHRASE')
}

/** `COFFER_NEW_PASSPHRASE`. Throws `invalid` as `secret` does. */
export function readNewPassphrase(): string | undefined {
  return readSecret('COFFER_NEW_PASSPHRASE')
}

/** The secret, or the first line of the file. Throws `invalid` where both are set, and for a file without a line. */
function readSecret(name: SecretName): string | undefined {
  const { value, file } = taken.get(name) ?? {}
  if (file === undefined) return value
  if (value !== undefined) {
    throw new CofferError('invalid', `${name} and ${name}_FILE are both set. Set one of them.`)
  }
  const line = firstLine(name, path.resolve(file))
  taken.set(name, { value: line })
  return line
}

function firstLine(name: SecretName, file: string): string {
  let line: string | undefined
  let mode: number
  try {
    line = fs.readFileSync(file, 'utf8').split(/\r?\n/, 1)[0]
    mode = fs.statSync(file).mode
  } catch (error) {
    throw new CofferError(
      'invalid',
      `The file of ${name}_FILE cannot be read: ${describeSystemError(error)}.`,
      {
        cause: error,
      },
    )
  }
  if (!line) throw new CofferError('invalid', `The file of ${name}_FILE has an empty first line.`)
  // A container's secrets are readable to all inside it, and nobody else is there.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0 && !file.startsWith('/run/secrets/')) {
    printHint(`Other users can read ${file}. Make it yours alone with: chmod 600 ${file}`)
  }
  return line
}
