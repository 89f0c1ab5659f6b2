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
  const [program] = getFindCommand(store, null)
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
 * Returns the command that adds a certificate, in a file, to a store: for TLS servers only, if the tool can say so. The
 * certificate is null if it does not exist yet.
 */
export function getAddCommand({ kind, place }: TrustStore, root: string | null, file: string): ToolCommand {
  if (kind === 'nss')
    return ['certutil', '-A', '-d', `sql:${place}`, '-n', getNickname(root), '-t', 'C,,', '-i', file]
  if (kind === 'keychain')
    return ['security', 'add-trusted-cert', '-r', 'trustRoot', '-p', 'ssl', '-k', place, file]
  return ['certutil', '-user', '-addstore', place, file]
}

/** Returns the command that removes exactly this certificate from a store. */
export function getRemoveCommand({ kind, place }: TrustStore, root: string): ToolCommand {
  if (kind === 'nss') return ['certutil', '-D', '-d', `sql:${place}`, '-n', getNickname(root)]
  const [sha1, sha256] = getHashes(root)
  if (kind === 'keychain') return ['security', 'delete-certificate', '-Z', sha256, '-t', place]
  return ['certutil', '-user', '-delstore', place, sha1]
}

/** Finds out whether a store holds exactly this certificate. Never rejects. */
export async function isTrusted(store: TrustStore, root: string): Promise<Trusted> {
  const { kind, place } = store
  if (kind === 'nss' && !hasDatabase(place)) return 'no'
  const { failed, output } = await runTool(getFindCommand(store, root))
  if (failed) return saysAbsent.test(output) ? 'no' : 'unknown'
  // Windows was asked for the fingerprint.
  const holds = kind === 'windows' || listHashes(output).includes(getHashes(root)[1])
  return holds ? 'yes' : 'no'
}

/** What certutil of NSS and of Windows print for a certificate that a store does not hold. */
const saysAbsent = /could not find cert|80090011/i

function getFindCommand({ kind, place }: TrustStore, root: string | null): ToolCommand {
  if (kind === 'nss') return ['certutil', '-L', '-d', `sql:${place}`, '-n', getNickname(root), '-a']
  if (kind === 'keychain') return ['security', 'find-certificate', '-a', '-p', place]
  return ['certutil', '-user', '-store', place, getHashes(root)[0]]
}

/** Lists the fingerprints of the certificates in a text. */
function listHashes(text: string): string[] {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return certificates.map((each) => getHashes(each)[1])
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

/** The name of the certificate in NSS. It contains the fingerprint, so that no other certificate has it. */
function getNickname(root: string | null): string {
  return `Coffer as hosted ${getHashes(root)[0]}`
}

/** Returns the fingerprints of a certificate as the tools write them. */
function getHashes(root: string | null): readonly [sha1: string, sha256: string] {
  if (root === null) return ['<fingerprint>', '<fingerprint>']
  const { fingerprint, fingerprint256 } = new X509Certificate(root)
  return [fingerprint.replaceAll(':', ''), fingerprint256.replaceAll(':', '')]
}
