import './applications.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { applicationList, useApplications } from '../../parts/access/application-names.ts'
import { useMay, useViewAs, viewAs } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { describeError } from '../../parts/messages/describe-error.ts'
import { ListFooter } from '../../parts/navigation/list-footer.tsx'
import { ListSearch } from '../../parts/navigation/list-search.tsx'
import { NoMatch } from '../../parts/navigation/no-match.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ScreenHeader } from '../../parts/navigation/screen-header.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/loading.tsx'
import { createApplicationColumns } from './application-columns.tsx'
import { ApplicationPanel } from './application-panel.tsx'
import { ClientKeys } from './client-keys/client-keys.tsx'
import { DeleteApplication } from './delete-application.tsx'
import { findRotation } from './rotation.ts'
import { strings } from './strings.ts'
import { followKeyUses, type KeyUseSummary, useKeyUses } from './uses-store.ts'

const t = strings
const PLACEHOLDER_ROWS = 6
const views = ['applications', 'client-keys'] as const

/** The list of applications with a drawer for one of them, and the client encryption keys. */
export function Applications() {
  const isOwner = useViewAs(({ as }) => as === null)
  const { query } = useRoute()
  const view = query.view === 'client-keys' ? 'client-keys' : 'applications'
  const isKeys = view === 'client-keys'
  // Only the owner may change an application or create a key.
  const openNewForm = () =>
    isOwner && navigate(toHref('applications', null, { ...(isKeys && { view }), new: '1' }))
  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  return (
    <>
      <ScreenHeader
        screen="applications"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        sharesViews
        create={isKeys ? t.clientKeys.create : t.create}
        onCreate={openNewForm}
      />
      {isKeys ? <ClientKeys /> : <List isOwner={isOwner} onCreate={openNewForm} />}
    </>
  )
}

function List({ isOwner, onCreate }: { isOwner: boolean; onCreate: () => void }) {
  const { rows: applications, total, loaded, problem } = useApplications()
  const mayRead = useMay('application:read')
  const { as } = useViewAs()
  const uses = useKeyUses()
  const list = useRows('applications', applications, {
    isOwner,
    getTexts: ({ id, name, type }) => [id, name, type],
    listOwnActions: (_, row) => (row ? createRowActions(row, as, uses.keys) : []),
  })
  const deletedApplication = applications.find((each) => each.id === list.deleting)
  const { id, rows, form, search, isSearch, close, edit, setDeleting } = list
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])

  if (!mayRead) return <ViewAsRefused permission="application:read" />
  return (
    <>
      {applications.length > 0 && <ListSearch label={t.search} {...search} />}
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={describeError(problem)} onRetry={applicationList.read} />
          </div>
        ) : loaded && applications.length === 0 ? (
          <Empty
            icon="app"
            title={t.empty.title}
            text={t.empty.text}
            action={<Button onClick={onCreate}>{t.create}</Button>}
          />
        ) : loaded && rows.length === 0 ? (
          <NoMatch what={t.one} text={t.searched} onClear={() => search.onChange('')} />
        ) : (
          <Grid
            {...list.gridProps}
            label={t.grid}
            columns={createApplicationColumns(uses, isOwner)}
            count={loaded ? rows.length : PLACEHOLDER_ROWS}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
          />
        )}
        <PanelBoundary {...list.beside}>
          <ApplicationPanel
            id={id}
            mode={form ? (list.isNew ? 'new' : 'edit') : 'drawer'}
            onClose={close}
            onCancel={list.cancel}
            onLeave={list.leaveForm}
            onEdit={edit}
            onDelete={() => setDeleting(id)}
          />
        </PanelBoundary>
      </div>
      <ListFooter
        nouns={[t.one, t.many]}
        counts={loaded ? { found: isSearch ? rows.length : null, known: applications.length, total } : null}
      />
      {deletedApplication && (
        <DeleteApplication
          application={deletedApplication}
          onDeleted={close}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  )
}

/** The row actions of an application, in addition to those of every row. */
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
