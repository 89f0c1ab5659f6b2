import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { z } from '../../../shared/zod.ts'
import { getHomeFolder } from '../files/home-folder.ts'

/** A store of this user that can hold the certificate of the authority. None is a store of the system. */
export const trustStore = z.strictObject({
  kind: z.enum(['nss', 'keychain', 'windows']),
  /** A folder of NSS, a keychain file, or the name of a store of Windows. */
  place: z.string(),
})

export type TrustStore = z.output<typeof trustStore>

/** Whether a store holds the certificate. `unknown` if its tool is missing or fails. */
export type Trusted = 'yes' | 'no' | 'unknown'

/** A program with its arguments. */
export type ToolCommand = readonly [program: string, ...args: string[]]

/** Long enough for a person to answer the dialog of the system. */
const TOOL_TIMEOUT_MS = 120_000
/** What names begin with: that of a certificate in NSS, whose rest is the fingerprint, and that of every authority itself. */
const NAME = 'Coffer as hosted '

/**
 * Lists this user's stores: those of Chromium and Firefox on Linux, the login keychain, or the user's Root store. If
 * there is none on Linux, the one that Chromium would create.
 */
export function listTrustStores(platform = process.platform, home = getHomeFolder()): TrustStore[] {
  if (platform === 'win32') return [{ kind: 'windows', place: 'Root' }]
  if (platform === 'darwin') {
    return [{ kind: 'keychain', place: path.join(home, 'Library', 'Keychains', 'login.keychain-db') }]
  }
  const chromium = ['.pki/nssdb', '.local/share/pki/nssdb', 'snap/chromium/current/.pki/nssdb']
  const firefox = ['.mozilla/firefox', '.config/mozilla/firefox', 'snap/firefox/common/.mozilla/firefox']
  const profiles = firefox.flatMap((each) => listFolder(path.join(home, each)))
  const places = [...chromium.map((each) => path.join(home, each)), ...profiles].filter(hasDatabase)
  return (places.length > 0 ? places : [path.join(home, '.pki', 'nssdb')]).map((place) => ({
    kind: 'nss',
    place,
  }))
}

/** Whether Coffer itself can add to a store: it exists, and its tool is in PATH. */
export function canAddTo(store: TrustStore): boolean {
  const [program] = getFindCommand(store, '')
  const name = process.platform === 'win32' ? `${program}.exe` : program
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute)
  const hasTool = folders.some((folder) => fs.existsSync(path.join(folder, name)))
  return hasTool && (store.kind !== 'nss' || hasDatabase(store.place))
}

function hasDatabase(folder: string): boolean {
  return fs.existsSync(path.join(folder, 'cert9.db'))
}

function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name))
  } catch {
    return []
  }
}

/** Describes a store to its owner. */
export function describeStore({ kind, place }: TrustStore): string {
  if (kind === 'nss') return `the certificates of Chromium or Firefox in ${place}`
  return kind === 'keychain' ? `the keychain ${place}` : `the ${place} store of this user`
}

/**
 * Returns the command that adds a certificate, in a file, to a store: for TLS servers only, if the tool can say so.
 */
export function getAddCommand({ kind, place }: TrustStore, sha1: string, file: string): ToolCommand {
  if (kind === 'nss')
    return ['certutil', '-A', '-d', `sql:${place}`, '-n', NAME + sha1, '-t', 'C,,', '-i', file]
  if (kind === 'keychain')
    return ['security', 'add-trusted-cert', '-r', 'trustRoot', '-p', 'ssl', '-k', place, file]
  return ['certutil', '-user', '-addstore', place, file]
}

/** Returns the command that removes exactly the certificate with this fingerprint from a store. */
export function getRemoveCommand({ kind, place }: TrustStore, sha1: string): ToolCommand {
  if (kind === 'nss') return ['certutil', '-D', '-d', `sql:${place}`, '-n', NAME + sha1]
  if (kind === 'keychain') return ['security', 'delete-certificate', '-Z', sha1, '-t', place]
  return ['certutil', '-user', '-delstore', place, sha1]
}

/**
 * Returns commands that remove authorities of Coffer, except `root`, from the stores of this user. Their data folder may
 * be gone, or be another one. The store of Windows is not searched. Never rejects.
 */
export async function findStrays(root: string | null): Promise<ToolCommand[]> {
  const own = root === null ? null : getSha1(root)
  const found = listTrustStores()
    .filter((store) => store.kind !== 'windows' && canAddTo(store))
    .map(async (store) => {
      const { output } = await runTool(getListCommand(store))
      const hashes = Array.from(
        output.matchAll(/(?:Coffer as hosted |SHA-1 hash: )([0-9A-F]{40})/g),
        ([, sha1 = '']) => sha1,
      )
      return hashes.filter((sha1) => sha1 !== own).map((sha1) => getRemoveCommand(store, sha1))
    })
  return (await Promise.all(found)).flat()
}

function getListCommand({ kind, place }: TrustStore): ToolCommand {
  if (kind === 'nss') return ['certutil', '-L', '-d', `sql:${place}`]
  return ['security', 'find-certificate', '-a', '-Z', '-c', NAME.trim(), place]
}

/** Finds out whether a store holds exactly this certificate. Never rejects. */
export async function isTrusted(store: TrustStore, root: string): Promise<Trusted> {
  const { kind, place } = store
  if (kind === 'nss' && !hasDatabase(place)) return 'no'
  const { failed, output } = await runTool(getFindCommand(store, getSha1(root)))
  if (failed) return saysAbsent.test(output) ? 'no' : 'unknown'
  // Windows was asked for the fingerprint.
  const holds = kind === 'windows' || hasCertificate(output, root)
  return holds ? 'yes' : 'no'
}

/** What certutil of NSS and of Windows print for a certificate that a store does not hold. */
const saysAbsent = /could not find cert|80090011/i

function getFindCommand({ kind, place }: TrustStore, sha1: string): ToolCommand {
  if (kind === 'nss') return ['certutil', '-L', '-d', `sql:${place}`, '-n', NAME + sha1, '-a']
  if (kind === 'keychain') return ['security', 'find-certificate', '-a', '-p', place]
  return ['certutil', '-user', '-store', place, sha1]
}

/** Whether the PEM texts hold exactly this certificate. */
function hasCertificate(text: string, root: string): boolean {
  return text.replace(/\s/g, '').includes(new X509Certificate(root).raw.toString('base64'))
}

/** Runs a tool without a shell and without input. Never rejects. */
export function runTool([program, ...args]: ToolCommand): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: TOOL_TIMEOUT_MS }, (error, out, err) =>
      resolve({ failed: error !== null, output: `${out}${err}` }),
    )
    child.stdin?.end()
  })
}

/** Returns a fingerprint of a certificate as the tools write it. */
export function getSha1(root: string): string {
  return new X509Certificate(root).fingerprint.replaceAll(':', '')
}
