import * as keys from './applications/keys/operations.ts'
import * as applications from './applications/operations.ts'
import * as applicationTemplates from './applications/templates/operations.ts'
import * as banks from './banks/operations.ts'
import * as bins from './cards/operations.ts'
import * as clientKeys from './client-keys/operations.ts'
import * as detokenize from './detokenize/operations.ts'
import * as documents from './documents/operations.ts'
import * as drafts from './drafts/operations.ts'
import * as enrichments from './enrichments/operations.ts'
import * as googlePay from './google-pay/operations.ts'
import * as logs from './logs/operations.ts'
import * as permissions from './permissions/operations.ts'
import type { Operation } from './pipeline/operation.ts'
import * as access from './previews/access-operations.ts'
import * as expressions from './previews/expression-operations.ts'
import * as proxyCalls from './proxies/call-operations.ts'
import * as exchanges from './proxies/exchanges/operations.ts'
import * as proxies from './proxies/operations.ts'
import * as reactors from './reactors/operations.ts'
import * as reactorCalls from './reactors/run-operations.ts'
import * as reactorRuns from './reactors/runs/operations.ts'
import * as sessions from './sessions/operations.ts'
import * as stats from './stats/operations.ts'
import * as invitations from './tenants/invitations/operations.ts'
import * as members from './tenants/members/operations.ts'
import * as tenants from './tenants/operations.ts'
import * as roles from './tenants/roles/operations.ts'
import * as threeDs from './three-ds/operations.ts'
import * as threeDsPages from './three-ds/page-operations.ts'
import * as tokenize from './tokenize/operations.ts'
import * as tokenIntents from './tokens/intents/operations.ts'
import * as tokens from './tokens/operations.ts'
import * as exports from './tokens/read/export-operations.ts'
import * as finds from './tokens/search/find-operations.ts'
import * as saved from './tokens/search/saved-operations.ts'
import * as searches from './tokens/search/search-operations.ts'
import * as batches from './tokens/write/batch-operations.ts'
import * as deliveries from './webhooks/deliveries/operations.ts'
import * as webhooks from './webhooks/operations.ts'

/** The catalogue: every operation, grouped by resource. Files named `operations.ts` export only operations. */
export const operations = {
  access,
  applications,
  applicationTemplates,
  banks,
  bins,
  deliveries,
  clientKeys,
  documents,
  drafts,
  enrichments,
  expressions,
  exchanges,
  googlePay,
  invitations,
  keys,
  logs,
  members,
  permissions,
  proxies: { ...proxies, ...proxyCalls },
  reactorRuns,
  reactors: { ...reactors, ...reactorCalls },
  roles,
  sessions,
  stats,
  tenants,
  threeDs: { ...threeDs, ...threeDsPages },
  tokenIntents,
  tokens: { ...tokens, ...batches, ...exports, ...finds, ...saved, ...searches, ...tokenize, ...detokenize },
  webhooks,
} as const

/** The catalogue as a type, for the typed client. */
export type Operations = typeof operations

const byName = new Map<string, Operation>(
  Object.entries(operations).flatMap(([resource, all]) =>
    Object.entries<Operation>(all).map(([name, operation]) => [`${resource}.${name}`, operation] as const),
  ),
)

/** Every operation by its name, such as `tokens.create`. */
export const catalogue: ReadonlyMap<string, Operation> = byName

/** Returns the operation with a full name such as `tokens.create`; undefined if there is none. */
export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}
