import type { Migration } from './migrate.ts'
import { createInitialSchema } from './migrations/0001-init.ts'
import { addCallReplays } from './migrations/0002-kept-calls.ts'
import { addTestTenant } from './migrations/0003-test-tenant.ts'
import { addLogSearch } from './migrations/0004-log-search.ts'
import { addKeyHints } from './migrations/0005-key-hints.ts'
import { addClockGuard } from './migrations/0006-seen-clock.ts'
import { addLogJournal } from './migrations/0007-log-journal.ts'
import { addCommitCount } from './migrations/0008-commit-count.ts'
import { addLogChain } from './migrations/0009-log-chain.ts'
import { addProxies } from './migrations/0010-proxies.ts'
import { addExchanges } from './migrations/0011-exchanges.ts'
import { addReactors } from './migrations/0012-reactors.ts'
import { addWebhooks } from './migrations/0013-webhooks.ts'
import { addClientKeys } from './migrations/0014-client-keys.ts'
import { addDocuments } from './migrations/0015-documents.ts'
import { addThreeDs } from './migrations/0016-three-ds.ts'
import { addMembers } from './migrations/0017-members.ts'
import { addElementUses } from './migrations/0018-element-uses.ts'
import { addTokenTerms } from './migrations/0019-token-terms.ts'
import { addRequestMetadata } from './migrations/0020-request-facts.ts'
import { addLogEntities } from './migrations/0021-log-entities.ts'
import { addIntentCvcs } from './migrations/0022-intent-cvcs.ts'
import { addBinFacts } from './migrations/0023-bin-facts.ts'
import { addMerchants } from './migrations/0024-merchants.ts'
import { addTenantConnections } from './migrations/0025-tenant-connections.ts'
import { addAccountUpdater } from './migrations/0026-account-updater.ts'
import { addWallets } from './migrations/0027-wallets.ts'
import { addNetworkTokens } from './migrations/0028-network-tokens.ts'
import { addAgentic } from './migrations/0029-agentic.ts'
import { addSavedFilters } from './migrations/0030-saved-filters.ts'

/** Every migration, in order. One that has shipped is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'init', up: createInitialSchema },
  { version: 2, name: 'kept calls', up: addCallReplays },
  { version: 3, name: 'test tenant', up: addTestTenant },
  { version: 4, name: 'log search', up: addLogSearch },
  { version: 5, name: 'key hints', up: addKeyHints },
  { version: 6, name: 'seen clock', up: addClockGuard },
  { version: 7, name: 'log journal', up: addLogJournal },
  { version: 8, name: 'commit count', up: addCommitCount },
  { version: 9, name: 'log chain', up: addLogChain },
  { version: 10, name: 'proxies', up: addProxies },
  { version: 11, name: 'exchanges', up: addExchanges },
  { version: 12, name: 'reactors', up: addReactors },
  { version: 13, name: 'webhooks', up: addWebhooks },
  { version: 14, name: 'client keys', up: addClientKeys },
  { version: 15, name: 'documents', up: addDocuments },
  { version: 16, name: '3D Secure', up: addThreeDs },
  { version: 17, name: 'members', up: addMembers },
  { version: 18, name: 'element uses', up: addElementUses },
  { version: 19, name: 'token terms', up: addTokenTerms },
  { version: 20, name: 'request facts', up: addRequestMetadata },
  { version: 21, name: 'log entities', up: addLogEntities },
  { version: 22, name: 'intent cvcs', up: addIntentCvcs },
  { version: 23, name: 'BIN facts', up: addBinFacts },
  { version: 24, name: 'merchants', up: addMerchants },
  { version: 25, name: 'tenant connections', up: addTenantConnections },
  { version: 26, name: 'account updater', up: addAccountUpdater },
  { version: 27, name: 'wallets', up: addWallets },
  { version: 28, name: 'network tokens', up: addNetworkTokens },
  { version: 29, name: 'agentic payments', up: addAgentic },
  { version: 30, name: 'saved filters', up: addSavedFilters },
]
