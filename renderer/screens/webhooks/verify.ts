/** Code that verifies a signature, as in docs/webhooks.md. */
export const verifyCode = `import { constants, createVerify } from 'node:crypto'

export function isFromCoffer(body, signature, pem) {
  return createVerify('SHA256')
    .update(body)
    .verify({ key: pem, padding: constants.RSA_PKCS1_PSS_PADDING }, signature, 'base64')
}
`
