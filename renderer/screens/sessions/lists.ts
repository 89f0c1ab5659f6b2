import type { OwnerSession, SessionField } from '../../../shared/schemas/session.ts'
import type { OwnerThreeDsSession, ThreeDsField } from '../../../shared/schemas/three-ds.ts'
import type { IntentField, TokenIntent } from '../../../shared/schemas/token-intent.ts'
import { createPagedList } from '../../parts/connection/paged-list.ts'
import { vault } from '../../parts/connection/vault.ts'

export const threeDsList = createPagedList<OwnerThreeDsSession, ThreeDsField>((query) =>
  vault.threeDs.list(query),
)

export const sessionList = createPagedList<OwnerSession, SessionField>((query) => vault.sessions.list(query))

export const intentList = createPagedList<TokenIntent, IntentField>((query) => vault.tokenIntents.list(query))
