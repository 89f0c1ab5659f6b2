import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { createNameConstraints } from './name-constraints.ts'

/** The certificates of one run, in PEM. */
export type RunCertificates = {
  /** The certificate of the authority, which clients are to trust. */
  readonly root: string
  /** One certificate per name, each followed by the issuing certificate. */
  readonly leaves: ReadonlyMap<string, string>
  /** A certificate for all names, for a client that does not say which one it wants. */
  readonly forAll: string
  /** The private key of every leaf. SECURITY: it is never written to a file. */
  readonly key: string
  /** The hash of the leaves' public key, as in Chromium's `--ignore-certificate-errors-spki-list`. */
  readonly spki: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const HASH = { name: 'ECDSA', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000
/** No client accepts a longer period from every authority, and no run needs one. */
const VALID_DAYS = 30
/** Covers the clock of a container or virtual machine that is slightly behind. */
const CLOCK_SKEW_MS = 10 * 60 * 1000

/**
 * Creates an authority for exactly these names and issues all of its certificates (rule H-02). SECURITY: both keys that
 * sign are dropped when this returns, and neither can be exported, so nobody can issue another certificate. The
 * constraints of the issuing certificate are a second defence: its certificates are good for no other name.
 */
export async function issueCertificates(
  names: readonly string[],
  now = Date.now(),
): Promise<RunCertificates> {
  const validity = {
    notBefore: new Date(now - CLOCK_SKEW_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
  }
  const { root, issuing, signingKey } = await createIssuer(names, validity)
  const leafKeys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const issueLeaf = async (all: readonly string[]) => {
    const leaf = await X509CertificateGenerator.create({
      subject: 'CN=Coffer',
      issuer: issuing.subject,
      ...validity,
      signingKey,
      publicKey: leafKeys.publicKey,
      signingAlgorithm: HASH,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(all.map((value) => ({ type: 'dns' as const, value }))),
        await SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
        await AuthorityKeyIdentifierExtension.create(issuing),
      ],
    })
    return `${leaf.toString('pem')}\n${issuing.toString('pem')}\n`
  }
  const leaves = new Map<string, string>()
  for (const name of names) leaves.set(name, await issueLeaf([name]))
  const spki = await crypto.subtle.exportKey('spki', leafKeys.publicKey)
  return {
    root: `${root.toString('pem')}\n`,
    leaves,
    forAll: await issueLeaf(names),
    key: toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey)),
    spki: toBase64(await crypto.subtle.digest('SHA-256', spki)),
  }
}

/**
 * Creates the root and the issuing certificate below it. The constraints are on the second one, because Java ignores
 * those of a certificate that is trusted itself.
 */
async function createIssuer(
  names: readonly string[],
  validity: { readonly notBefore: Date; readonly notAfter: Date },
) {
  // Each run has its own names, because some clients reject two authorities of the same name.
  const run = crypto.randomUUID().slice(0, 8)
  const rootKeys = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  const issuingKeys = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  const usages = new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true)
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=Coffer as hosted ${run}`,
    ...validity,
    keys: rootKeys,
    signingAlgorithm: HASH,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      usages,
      await SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  })
  const issuing = await X509CertificateGenerator.create({
    subject: `CN=Coffer as hosted ${run} issuing`,
    issuer: root.subject,
    ...validity,
    signingKey: rootKeys.privateKey,
    publicKey: issuingKeys.publicKey,
    signingAlgorithm: HASH,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      usages,
      new Extension('2.5.29.30', true, createNameConstraints(names)),
      await SubjectKeyIdentifierExtension.create(issuingKeys.publicKey),
      await AuthorityKeyIdentifierExtension.create(root),
    ],
  })
  return { root, issuing, signingKey: issuingKeys.privateKey }
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

function toBase64(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('base64')
}
