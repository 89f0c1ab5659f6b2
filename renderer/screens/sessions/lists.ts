import type { OwnerSession } from '../../../shared/schemas/session.ts'
import type { OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { threeDsStates } from '../../../shared/schemas/three-ds.ts'
import type { TokenIntent } from '../../../shared/schemas/token-intent.ts'
import { createPagedList } from '../../parts/connection/paged-list.ts'
import { vault } from '../../parts/connection/vault.ts'

export const threeDsList = createPagedList<OwnerThreeDsSession>(({ filters: { state, app }, ...page }) => {
  const known = threeDsStates.find((each) => each === state)
  return vault.threeDs.list({
    ...page,
    ...(known && { state: known }),
    ...(app !== undefined && { created_by: app }),
  })
})

export const sessionList = createPagedList<OwnerSession>(({ filters: { state, app }, ...page }) =>
  vault.sessions.list({
    ...page,
    ...(state !== undefined && { is_authorized: state === 'authorized' }),
    ...(app !== undefined && { application_id: app }),
  }),
)

export const intentList = createPagedList<TokenIntent>(({ filters: { type, app }, ...page }) =>
  vault.tokenIntents.list({
    ...page,
    ...(type !== undefined && { type }),
    ...(app !== undefined && { created_by: app }),
  }),
)
