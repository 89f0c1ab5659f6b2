import type { Statement } from '../statement.ts'
import { applications } from './applications.ts'
import { documents } from './documents.ts'
import { expressions } from './expressions.ts'
import { lists } from './lists.ts'
import { management } from './management.ts'
import { networks } from './networks.ts'
import { payloads } from './payloads.ts'
import { permissions } from './permissions.ts'
import { proxies } from './proxies.ts'
import { reactors } from './reactors.ts'
import { requests } from './requests.ts'
import { threeDs } from './three-ds.ts'
import { tokenTypes } from './token-types.ts'
import { tokenUpdates } from './token-updates.ts'
import { tokens } from './tokens.ts'

/**
 * Every statement, by area. `--key` is expected to create tokens masked, as permissions without rules do. A statement that
 * depends on what reading shows creates an application of its own.
 */
export const statements: Readonly<Record<string, readonly Statement[]>> = {
  requests,
  'token-types': tokenTypes,
  tokens,
  'token-updates': tokenUpdates,
  expressions,
  permissions,
  lists,
  applications,
  payloads,
  proxies,
  reactors,
  management,
  documents,
  'three-ds': threeDs,
  networks,
}
