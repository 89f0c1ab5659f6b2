import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { onTestFinished } from 'vitest'
import type { AnsweredNames } from '../../../electron/as-hosted/answered-names.ts'
import type { RunCertificates } from '../../../electron/as-hosted/authority.ts'
import { createHostedEnvironment } from '../../../electron/as-hosted/environment.ts'
import { openForwardProxy } from '../../../electron/as-hosted/forward-proxy.ts'
import { openFront } from '../../../electron/as-hosted/front.ts'
import { createNameConstraints } from '../../../electron/as-hosted/name-constraints.ts'
import { RunFolder } from '../../../electron/as-hosted/run-folder.ts'
import { Outbound } from '../../../electron/outbound/outbound.ts'
import { noDestinations } from '../../../shared/destinations.ts'

const PERMITTED = 'api.basistheory.com'
export const FORBIDDEN = 'forbidden.example'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const
const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 86_400_000) }
const createKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/**
 * Issues a certificate for each name, as Coffer does, from an authority whose constraints permit only the first. Coffer
 * itself drops its keys, so that nobody can issue the second.
 */
async function issueConstrained(): Promise<RunCertificates> {
  const [rootKeys, issuingKeys, leafKeys] = await Promise.all([createKeys(), createKeys(), createKeys()])
  const signs = new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)
  const root = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Constrained root',
    keys: rootKeys,
    signingAlgorithm,
    extensions: [new BasicConstraintsExtension(true, 1, true), signs],
  })
  const issuing = await X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=Constrained issuing',
    issuer: root.subject,
    signingKey: rootKeys.privateKey,
    publicKey: issuingKeys.publicKey,
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      signs,
      new Extension('2.5.29.30', true, createNameConstraints([PERMITTED])),
    ],
  })
  const issueLeaf = async (value: string) => {
    const leaf = await X509CertificateGenerator.create({
      ...validity,
      subject: 'CN=Leaf',
      issuer: issuing.subject,
      signingKey: issuingKeys.privateKey,
      publicKey: leafKeys.publicKey,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: 'dns', value }]),
      ],
    })
    return [leaf, issuing].map(toPem).join('')
  }
  const forAll = await issueLeaf(PERMITTED)
  const { privateKey } = leafKeys
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
  return {
    root: toPem(root),
    leaves: new Map([
      [PERMITTED, forAll],
      [FORBIDDEN, await issueLeaf(FORBIDDEN)],
    ]),
    forAll,
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    spki: '',
  }
}

function toPem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

/**
 * Answers the name that the constraints permit, and `FORBIDDEN`, which they do not. Both reach a client in every way of
 * `coffer run --as-hosted`. Returns the environment for programs. Closed when the test ends.
 */
export async function startConstrained(base: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const certificates = await issueConstrained()
  const answered: AnsweredNames = new Map([
    [`${PERMITTED}:443`, 'echo'],
    [`${FORBIDDEN}:443`, 'echo'],
  ])
  const outbound = new Outbound({ destinations: () => noDestinations, ownPorts: () => [] })
  const ignored = { forward: () => {}, observeConnection: () => {} }
  const front = await openFront({
    answered,
    certificates,
    answer: () => {},
    port: 0,
    ...ignored,
    echo: (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end('{"id":"1","type":"token","data":"value"}'),
  })
  const proxy = await openForwardProxy({ answered, front, outbound, ...ignored })
  const folder = new RunFolder()
  onTestFinished(async () => {
    await proxy.closeServer()
    await front.closeServer()
    outbound.close()
    folder.removeFiles()
  })
  const { root } = certificates
  const hosted = createHostedEnvironment({ answered, preloadPort: front.port, proxy, root, folder, base })
  return { ...base, ...hosted }
}
