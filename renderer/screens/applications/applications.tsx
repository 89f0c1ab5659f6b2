import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { applicationList } from '../../parts/access/application-names.ts'
import { useIsOwner, useViewAs, viewAs } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ResourceList, useResourceRows } from '../../parts/resource-screen/resource-list.tsx'
import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { Empty } from '../../ui/empty.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { createLazy, LazyView } from '../../ui/lazy-view.tsx'
import { createApplicationColumns } from './application-columns.tsx'
import { ApplicationDrawer } from './application-drawer.tsx'
import { strings as checkoutStrings } from './checkouts/strings.ts'
import { ClientKeys, clientKeyList } from './client-keys/client-keys.tsx'
import { EditApplication } from './edit-application.tsx'
import { NewApplication } from './new-application.tsx'
import { findRotation } from './rotation.ts'
import { strings as t } from './strings.ts'
import { followKeyUses, type KeyUseSummary, useKeyUses } from './uses-store.ts'

const checkouts = createLazy(async () => (await import('./checkouts/checkouts.tsx')).Checkouts)

/** The list of applications with a drawer for one of them, and the client encryption keys. */
export function Applications() {
  const { view } = useRoute().query
  const isOwner = useIsOwner()
  const isKeys = view === 'client-keys'
  const isCheckouts = view === 'checkouts'
  const create = isKeys ? t.clientKeys.create : isCheckouts ? checkoutStrings.create : t.create
  return (
    <ResourceScreen
      screen="applications"
      strings={{ ...t, create }}
      permissions={isKeys ? clientKeyList.permissions : ['application:read']}
      newQuery={{ ...((isKeys || isCheckouts) && { view }), new: '1' }}
      sharesViews
      views={{
        applications: <List />,
        'client-keys': <ClientKeys />,
        checkouts: isOwner ? (
          <LazyView of={checkouts} props={{}} />
        ) : (
          <Empty icon="card" {...checkoutStrings.ownerOnly} />
        ),
      }}
    />
  )
}

function List() {
  const isOwner = useIsOwner()
  const { as } = useViewAs()
  const uses = useKeyUses()
  const list = useResourceRows('applications', applicationList, {
    getTexts: ({ id, name, type }) => [id, name, type],
    listOwnActions: (_, row) => (row ? createRowActions(row, as, uses.keys) : []),
  })
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])
  return (
    <ResourceList
      list={list}
      strings={t}
      columns={createApplicationColumns(uses, isOwner)}
      empty={
        <Empty
          icon="app"
          {...t.empty}
          action={
            <Button onClick={() => isOwner && navigate(toHref('applications', null, { new: '1' }))}>
              {t.create}
            </Button>
          }
        />
      }
      renderForm={(application, actions) =>
        application ? (
          <EditApplication application={application} {...actions} />
        ) : (
          <NewApplication {...actions} />
        )
      }
      renderDrawer={(application, actions) => <ApplicationDrawer application={application} {...actions} />}
      onRemove={(id) => vault.applications.remove({ id })}
    />
  )
}

function createRowActions(
  { id, name, type }: Application,
  as: { readonly id: string } | null,
  keys: readonly KeyUseSummary[],
): readonly GridAction[] {
  const viewAsAction: GridAction = {
    label: t.drawer.lookAs,
    icon: 'eye',
    run: () => viewAs({ id, name, type }, () => navigate(toHref('tokens'))),
  }
  if (as) return as.id === id ? [] : [viewAsAction]
  const own = keys.filter(({ application_id }) => application_id === id)
  if (own.length === 0) return [viewAsAction]
  const rotate: GridAction = {
    label: findRotation(own) ? t.drawer.resume : t.drawer.rotate,
    icon: 'refresh',
    run: () => navigate(toHref('applications', id, { rotate: '1' })),
  }
  return [viewAsAction, rotate]
}
