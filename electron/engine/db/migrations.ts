import type { Migration } from './migrate.ts'
import { init } from './migrations/0001-init.ts'
import { keptCalls } from './migrations/0002-kept-calls.ts'
import { testTenant } from './migrations/0003-test-tenant.ts'
import { logSearch } from './migrations/0004-log-search.ts'
import { keyHints } from './migrations/0005-key-hints.ts'
import { seenClock } from './migrations/0006-seen-clock.ts'
import { logJournal } from './migrations/0007-log-journal.ts'
import { commitCount } from './migrations/0008-commit-count.ts'
import { logChain } from './migrations/0009-log-chain.ts'
import { proxies } from './migrations/0010-proxies.ts'
import { exchanges } from './migrations/0011-exchanges.ts'
import { reactors } from './migrations/0012-reactors.ts'
import { webhooks } from './migrations/0013-webhooks.ts'
import { clientKeys } from './migrations/0014-client-keys.ts'
import { documents } from './migrations/0015-documents.ts'
import { threeDs } from './migrations/0016-three-ds.ts'
import { members } from './migrations/0017-members.ts'
import { elementUses } from './migrations/0018-element-uses.ts'
import { tokenTerms } from './migrations/0019-token-terms.ts'
import { requestFacts } from './migrations/0020-request-facts.ts'
import { logEntities } from './migrations/0021-log-entities.ts'
import { intentCvcs } from './migrations/0022-intent-cvcs.ts'

/** Every migration, in order. One that has shipped is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'init', up: init },
  { version: 2, name: 'kept calls', up: keptCalls },
  { version: 3, name: 'test tenant', up: testTenant },
  { version: 4, name: 'log search', up: logSearch },
  { version: 5, name: 'key hints', up: keyHints },
  { version: 6, name: 'seen clock', up: seenClock },
  { version: 7, name: 'log journal', up: logJournal },
  { version: 8, name: 'commit count', up: commitCount },
  { version: 9, name: 'log chain', up: logChain },
  { version: 10, name: 'proxies', up: proxies },
  { version: 11, name: 'exchanges', up: exchanges },
  { version: 12, name: 'reactors', up: reactors },
  { version: 13, name: 'webhooks', up: webhooks },
  { version: 14, name: 'client keys', up: clientKeys },
  { version: 15, name: 'documents', up: documents },
  { version: 16, name: '3D Secure', up: threeDs },
  { version: 17, name: 'members', up: members },
  { version: 18, name: 'element uses', up: elementUses },
  { version: 19, name: 'token terms', up: tokenTerms },
  { version: 20, name: 'request facts', up: requestFacts },
  { version: 21, name: 'log entities', up: logEntities },
  { version: 22, name: 'intent cvcs', up: intentCvcs },
]
