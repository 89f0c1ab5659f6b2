import fs from 'node:fs'
import tls from 'node:tls'

/** The variables that name a file of trusted certificates and replace the system's. */
export const bundleVariables = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const

/**
 * Returns the certificates for a file that replaces the system's: those of the system, those of the files that the
 * environment names, and the authority of this run.
 */
export function createBundle(root: string, environment: NodeJS.ProcessEnv): string {
  const own = bundleVariables.map((name) => readCertificates(environment[name]))
  return [...new Set([...listRoots(), ...own, root])].filter((each) => each !== '').join('\n')
}

/** The certificates that the system trusts, or those of Node where the system shows none. */
export function listRoots(): readonly string[] {
  const system = tls.getCACertificates('system')
  return system.length > 0 ? system : tls.rootCertificates
}

/** Reads a file of certificates that the environment names. Empty if there is none, as clients would have it. */
export function readCertificates(file: string | undefined): string {
  if (!file) return ''
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    // The client would warn about the file and continue without it, or fail by itself.
    return ''
  }
}
