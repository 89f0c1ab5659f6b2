import { constants, verify } from 'node:crypto'
import type { Vault } from './vault.ts'

type ProxyInvoked = {
  readonly type: 'proxy.invoked'
  readonly trace_id: string
  readonly data: { readonly destination: { readonly response: { readonly status: number | null } } }
}

/** Reads an event about a call of a proxy; undefined if the vault has not signed it. */
export async function eventIn(
  body: Buffer,
  signature: string,
  vault: Vault,
): Promise<ProxyInvoked | undefined> {
  const response = await fetch(`${vault.url}/.well-known/webhooks.v1.key`)
  const key = { key: await response.text(), padding: constants.RSA_PKCS1_PSS_PADDING }
  if (!verify('SHA256', body, key, Buffer.from(signature, 'base64'))) return undefined
  return JSON.parse(body.toString()).event
}
