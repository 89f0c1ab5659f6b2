import type { ExpressionSource } from '../expression-source.ts'
import { networkTokenSource } from '../network-tokens/expression-source.ts'
import { tokenIntentSource } from '../tokens/intents/expression-source.ts'
import { defineWalletSource } from '../wallets/expression-source.ts'

/** What expressions use by a prefix, besides tokens: `{{ token_intent: <id> }}` (rules O-02, G-05, Z-02, Z-03). */
export const expressionSources = {
  token_intent: tokenIntentSource,
  apple_pay: defineWalletSource('apple'),
  google_pay: defineWalletSource('google'),
  network_token: networkTokenSource,
} as const satisfies Readonly<Record<string, ExpressionSource>>

export type SourceKind = keyof typeof expressionSources

/** Whether the prefix of an expression names a source. */
export function isSourceKind(prefix: string): prefix is SourceKind {
  return Object.hasOwn(expressionSources, prefix)
}
