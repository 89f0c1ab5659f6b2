import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
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
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { CofferError } from '../../shared/errors.ts'
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

/** The certificates of an authority, in PEM, and the names it is for. */
export type IssuerCertificates = {
  readonly names: readonly string[]
  readonly root: string
  readonly issuing: string
}

/** What signs certificates for exactly these names. */
export type Issuer = IssuerCertificates & { readonly signingKey: webcrypto.CryptoKey }

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const HASH = { name: 'ECDSA', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000
/** No client accepts a longer period from every authority, and no run needs one. */
const VALID_DAYS = 30
/** Covers the clock of a container or virtual machine that is slightly behind. */
const CLOCK_SKEW_MS = 10 * 60 * 1000

/**
 * Issues all certificates of a run for exactly these names (rule H-02): from `issuer`, or from an authority that is
 * created for the run. SECURITY: the run's keys that sign are dropped when this returns, and cannot be exported, so
 * nobody can issue another certificate. The constraints of the issuing certificate are a second defence: its
 * certificates are good for no other name. Throws `internal` for a name that `issuer` is not for.
 */
export async function issueCertificates(names: readonly string[], issuer?: Issuer): Promise<RunCertificates> {
  if (issuer && !names.every((name) => issuer.names.includes(name)))
    throw new CofferError('internal', 'The authority is not for all of these names.')
  const { root, signingKey, ...from } = issuer ?? (await createIssuer(names, VALID_DAYS, false))
  const issuing = new X509Certificate(from.issuing)
  const { notBefore, notAfter } = getValidity(VALID_DAYS)
  const validity = { notBefore, notAfter: new Date(Math.min(+notAfter, +issuing.notAfter)) }
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
    return `${leaf.toString('pem')}\n${from.issuing}`
  }
  const leaves = new Map<string, string>()
  for (const name of names) leaves.set(name, await issueLeaf([name]))
  const spki = await crypto.subtle.exportKey('spki', leafKeys.publicKey)
  return {
    root,
    leaves,
    forAll: await issueLeaf(names),
    key: toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey)),
    spki: toBase64(await crypto.subtle.digest('SHA-256', spki)),
  }
}

/**
 * Creates an authority that outlives its run, for exactly these names and days. Returns its certificates and the key that signs,
 * in PKCS #8. SECURITY: the caller seals the key, then wipes it.
 */
export async function createLastingIssuer(
  names: readonly string[],
  days: number,
): Promise<IssuerCertificates & { key: Buffer }> {
  const { signingKey, ...certificates } = await createIssuer(names, days, true)
  return { ...certificates, key: Buffer.from(await crypto.subtle.exportKey('pkcs8', signingKey)) }
}

/** Returns what signs for an authority that `createLastingIssuer` has made. The key can no longer be exported. */
export async function importIssuer(certificates: IssuerCertificates, key: Buffer): Promise<Issuer> {
  const signingKey = await crypto.subtle.importKey('pkcs8', Uint8Array.from(key), ALGORITHM, false, ['sign'])
  return { ...certificates, signingKey }
}

function getValidity(days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - CLOCK_SKEW_MS), notAfter: new Date(now + days * DAY_MS) }
}

/**
 * Creates the root and the issuing certificate below it. The constraints are on the second one, because Java ignores
 * those of a certificate that is trusted itself. The key of the root is dropped.
 */
async function createIssuer(names: readonly string[], days: number, extractable: boolean): Promise<Issuer> {
  const validity = getValidity(days)
  // Each run has its own names, because some clients reject two authorities of the same name.
  const run = crypto.randomUUID().slice(0, 8)
  const rootKeys = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])
  const issuingKeys = await crypto.subtle.generateKey(ALGORITHM, extractable, ['sign', 'verify'])
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
  return {
    names,
    root: `${root.toString('pem')}\n`,
    issuing: `${issuing.toString('pem')}\n`,
    signingKey: issuingKeys.privateKey,
  }
}

function toPem(label: string, bytes: ArrayBuffer): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

function toBase64(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('base64')
}
