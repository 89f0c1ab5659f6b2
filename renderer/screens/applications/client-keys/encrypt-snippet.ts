export type EncryptSnippetKind = 'jose' | 'elements'

type EncryptSnippetInput = { readonly url: string; readonly key_id: string; readonly public_key_pem: string }

/** Code with which a page encrypts a card for a client encryption key and stores it as a token. */
export function formatEncryptSnippet(kind: EncryptSnippetKind, input: EncryptSnippetInput): string {
  return kind === 'jose' ? formatJoseSnippet(input) : formatElementsSnippet(input)
}

function formatJoseSnippet({ url, key_id, public_key_pem }: EncryptSnippetInput): string {
  const [, base64 = ''] = public_key_pem.split('\n')
  const x = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return `import { CompactEncrypt, importJWK } from 'jose'

const publicKey = await importJWK({ kty: 'OKP', crv: 'X25519', x: '${x}' }, 'ECDH-ES')
const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
const encrypted = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(data)))
  .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: '${key_id}' })
  .encrypt(publicKey)
${formatStoreRequest(url, "{ type: 'card', encrypted }")}`
}

function formatElementsSnippet({ url, key_id, public_key_pem }: EncryptSnippetInput): string {
  return `// bt comes from basistheory('<a public key>'), and card is a card element that is mounted.
const { encrypted, type } = await bt.tokens.encrypt({
  tokenRequests: { type: 'card', data: card },
  publicKeyPem: \`${public_key_pem}\`,
  keyId: '${key_id}',
})
${formatStoreRequest(url, '{ type, encrypted }')}`
}

function formatStoreRequest(url: string, body: string): string {
  return `const response = await fetch('${url}/tokens', {
  method: 'POST',
  headers: { 'SVC-API-KEY': '<a public key>', 'Content-Type': 'application/json' },
  body: JSON.stringify(${body}),
})
console.log(response.status, await response.json())`
}
