import { hash, type KeyObject, type X509Certificate } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { isP256 } from './p256.ts'
import { parseBer } from './pkcs12/ber.ts'
import { DerivationBudget, TooManyIterations } from './pkcs12/key-derivation.ts'
import { openPkcs12, WrongPassword } from './pkcs12/open-pkcs12.ts'

/** The fingerprint and the expiry of a certificate. */
type ShownCertificate = { readonly fingerprint: string; readonly expires_at: string }

/** What is shown of the certificates of a row, by the prefix of their members. */
export type ShownCertificates = Partial<
  Readonly<Record<'payment_processor_certificate' | 'merchant_certificate', ShownCertificate>>
>

/** An opened PKCS#12 file. SECURITY: `privateKey` is plaintext. */
type OpenedCertificate = {
  readonly privateKey: KeyObject
  readonly certificate: X509Certificate
  readonly shown: ShownCertificate
}

/** The extension of Apple's certificates that contains the hash of the merchant identifier. */
const MERCHANT_EXTENSION = '1.2.840.113635.100.6.32'

/** SECURITY: deriving the keys of all files of a request takes at most about 30 ms (case X-65). */
const MAX_DERIVATION = 16_000

/** Opens the PKCS#12 files of one request (rule Z-02). */
export class CertificateReader {
  readonly #budget = new DerivationBudget(MAX_DERIVATION)
  readonly #now: number

  constructor(now: number) {
    this.#now = now
  }

  /**
   * Opens a file with one private key and its certificate. Throws `unprocessable`, which names the member: not PKCS#12,
   * a wrong password, too many iterations, no certificate of the key, an expired one, or a key that is not of P-256.
   */
  openCertificate(
    data: string,
    password: string,
    member: string,
    { p256 }: { readonly p256: boolean },
  ): OpenedCertificate {
    const { privateKeys, certificates } = this.#openFile(data, password, member)
    const [privateKey] = privateKeys
    if (!privateKey || privateKeys.length > 1)
      throw createRefusal(member, `contains ${privateKeys.length} private keys, but must contain one`)
    const certificate = certificates.find((each) => each.checkPrivateKey(privateKey))
    if (!certificate) throw createRefusal(member, 'contains no certificate of its private key')
    if (p256 && !isP256(privateKey))
      throw createRefusal(member, 'must have an EC key of the curve P-256; RSA is not supported')
    const expiry = certificate.validToDate.getTime()
    if (expiry <= this.#now) throw createRefusal(member, 'contains a certificate that has expired')
    const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
    return { privateKey, certificate, shown: { fingerprint, expires_at: formatIsoTime(expiry) } }
  }

  #openFile(data: string, password: string, member: string) {
    const name = member.replace(/_data$/, '')
    try {
      return openPkcs12(Buffer.from(data, 'base64'), password, this.#budget)
    } catch (error) {
      if (error instanceof WrongPassword) throw createRefusal(member, `does not open with ${name}_password`)
      if (error instanceof TooManyIterations)
        throw createRefusal(
          member,
          'takes too long to open; export it again with fewer iterations, such as 2048',
        )
      throw createRefusal(
        member,
        'is not a PKCS#12 file in base64, or uses an encryption that is not supported',
      )
    }
  }
}

/** Returns the hash of the merchant identifier that Apple put into a certificate, in hex; undefined without one. */
export function findMerchantHash({ raw }: X509Certificate): string | undefined {
  const fields = parseBer(raw).getMember(0).members
  const extensions = fields.find(({ tag }) => tag === 3)?.getMember(0).members ?? []
  const value = extensions.find((each) => each.getMember(0).oid === MERCHANT_EXTENSION)?.members.at(-1)?.bytes
  // After the tag and the length of the text.
  const text = value?.subarray(2).toString('latin1') ?? ''
  return /^[\da-f]{64}$/i.test(text) ? text.toLowerCase() : undefined
}

/** Returns the hash with which Apple binds payment data to a merchant, in hex. */
export function hashMerchantIdentifier(identifier: string): string {
  return hash('sha256', identifier)
}

function createRefusal(member: string, problem: string): CofferError {
  return new CofferError('unprocessable', `${member} ${problem}.`)
}
