/** The base URL of the vault, and the keys of two applications. */
export type Vault = {
  readonly url: string
  /** May create tokens and 3D Secure sessions. The page has this key. */
  readonly publicKey: string
  /** May authenticate sessions, store payments of wallets, and use both in proxies. This key never leaves the server. */
  readonly privateKey: string
}
