/** The running Coffer to talk to, and the key to use. */
export type ServerOptions = { readonly url: string; readonly key?: string }

/** The options of a command that prints its result. */
export type PrintOptions = ServerOptions & { readonly json?: true }

/** The options of a command that discards the vault's content. */
export type DiscardOptions = PrintOptions & { readonly yes?: true }
