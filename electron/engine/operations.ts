import type { Operation } from './pipeline/operation.ts'
import * as accountUpdaterJobs from './resources/account-updater/jobs/operations.ts'
import * as accountUpdater from './resources/account-updater/operations.ts'
import * as agents from './resources/agentic/agent-operations.ts'
import * as enrollments from './resources/agentic/enrollment-operations.ts'
import * as instructions from './resources/agentic/instruction-operations.ts'
import * as agenticPages from './resources/agentic/page-operations.ts'
import * as verifications from './resources/agentic/verification-operations.ts'
import * as keys from './resources/applications/keys/operations.ts'
import * as applications from './resources/applications/operations.ts'
import * as applicationTemplates from './resources/applications/templates/operations.ts'
import * as banks from './resources/banks/operations.ts'
import * as bins from './resources/cards/operations.ts'
import * as checkouts from './resources/checkouts/operations.ts'
import * as clientKeys from './resources/client-keys/operations.ts'
import * as detokenize from './resources/detokenize/operations.ts'
import * as documents from './resources/documents/operations.ts'
import * as drafts from './resources/drafts/operations.ts'
import * as enrichments from './resources/enrichments/operations.ts'
import * as logs from './resources/logs/operations.ts'
import * as networkTokens from './resources/network-tokens/operations.ts'
import * as palette from './resources/palette/operations.ts'
import * as permissions from './resources/permissions/operations.ts'
import * as access from './resources/previews/access-operations.ts'
import * as expressions from './resources/previews/expression-operations.ts'
import * as proxyCalls from './resources/proxies/call-operations.ts'
import * as exchanges from './resources/proxies/exchanges/operations.ts'
import * as proxies from './resources/proxies/operations.ts'
import * as reactors from './resources/reactors/operations.ts'
import * as reactorCalls from './resources/reactors/run-operations.ts'
import * as reactorRuns from './resources/reactors/runs/operations.ts'
import * as sessions from './resources/sessions/operations.ts'
import * as ownerSessions from './resources/sessions/owner-operations.ts'
import * as stats from './resources/stats/operations.ts'
import * as tenantConnections from './resources/tenants/connections/operations.ts'
import * as invitations from './resources/tenants/invitations/operations.ts'
import * as members from './resources/tenants/members/operations.ts'
import * as merchants from './resources/tenants/merchants/operations.ts'
import * as tenants from './resources/tenants/operations.ts'
import * as roles from './resources/tenants/roles/operations.ts'
import * as threeDs from './resources/three-ds/operations.ts'
import * as threeDsOwner from './resources/three-ds/owner-operations.ts'
import * as threeDsPages from './resources/three-ds/page-operations.ts'
import * as tokenize from './resources/tokenize/operations.ts'
import * as tokenIntents from './resources/tokens/intents/operations.ts'
import * as tokens from './resources/tokens/operations.ts'
import * as exports from './resources/tokens/read/export-operations.ts'
import * as finds from './resources/tokens/search/find-operations.ts'
import * as saved from './resources/tokens/search/saved-operations.ts'
import * as searches from './resources/tokens/search/search-operations.ts'
import * as batches from './resources/tokens/write/batch-operations.ts'
import * as applePay from './resources/wallets/apple-pay/operations.ts'
import * as googlePay from './resources/wallets/google-pay/operations.ts'
import * as wallets from './resources/wallets/operations.ts'
import * as deliveries from './resources/webhooks/deliveries/operations.ts'
import * as webhooks from './resources/webhooks/operations.ts'

/** The catalogue: every operation, grouped by resource. Files named `operations.ts` export only operations. */
export const operations = {
  access,
  accountUpdater,
  accountUpdaterJobs,
  agents,
  applePay,
  applications,
  applicationTemplates,
  banks,
  bins,
  checkouts,
  deliveries,
  clientKeys,
  documents,
  drafts,
  enrichments,
  enrollments: { ...enrollments, ...verifications, ...agenticPages },
  expressions,
  exchanges,
  googlePay,
  instructions,
  invitations,
  keys,
  logs,
  members,
  merchants,
  networkTokens,
  palette,
  permissions,
  proxies: { ...proxies, ...proxyCalls },
  reactorRuns,
  reactors: { ...reactors, ...reactorCalls },
  roles,
  sessions: { ...sessions, ...ownerSessions },
  stats,
  tenantConnections,
  tenants,
  threeDs: { ...threeDs, ...threeDsOwner, ...threeDsPages },
  tokenIntents,
  tokens: { ...tokens, ...batches, ...exports, ...finds, ...saved, ...searches, ...tokenize, ...detokenize },
  wallets,
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
