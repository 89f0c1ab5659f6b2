/** Where the vault is, and the keys of two of its applications. */
export type Vault = {
  readonly url: string
  /** May create tokens and 3D Secure sessions. The page has it. */
  readonly publicKey: string
  /** May authenticate sessions and use tokens in proxies. It never leaves the server. */
  readonly privateKey: string
}
