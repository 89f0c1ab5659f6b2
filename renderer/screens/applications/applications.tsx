import './applications.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { readApplications, useApplications } from '../../parts/access/application-names.ts'
import { lookAs, useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { ListFoot } from '../../parts/navigation/list-foot.tsx'
import { ListSearch } from '../../parts/navigation/list-search.tsx'
import { NoMatch } from '../../parts/navigation/no-match.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { ScreenHead } from '../../parts/navigation/screen-head.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/waiting.tsx'
import { applicationColumns } from './application-columns.tsx'
import { ApplicationPanel } from './application-panel.tsx'
import { ClientKeys } from './client-keys/client-keys.tsx'
import { DeleteApplication } from './delete-application.tsx'
import { rotationOf } from './rotation.ts'
import { strings } from './strings.ts'
import { followKeyUses, type KeyUse, useKeyUses } from './uses-store.ts'

const t = strings
/** The number of placeholder rows while loading. */
const WAITING = 6
const views = ['applications', 'client-keys'] as const

/** The list of applications, and one of them beside it; and the client encryption keys. */
export function Applications() {
  const isOwner = useLooking(({ as }) => as === null)
  const { query } = useRoute()
  const view = query.view === 'client-keys' ? 'client-keys' : 'applications'
  const isKeys = view === 'client-keys'
  // Only the owner may change an application, or make a key.
  const create = () => isOwner && go(hrefOf('applications', null, { ...(isKeys && { view }), new: '1' }))
  useKeys({ 'mod+n': create, n: create })
  return (
    <>
      <ScreenHead
        screen="applications"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        sharesViews
        create={isKeys ? t.clientKeys.create : t.create}
        onCreate={create}
      />
      {isKeys ? <ClientKeys /> : <List isOwner={isOwner} onCreate={create} />}
    </>
  )
}

function List({ isOwner, onCreate }: { isOwner: boolean; onCreate: () => void }) {
  const { applications, total, loaded, problem } = useApplications()
  const mayRead = useMay('application:read')
  const { as } = useLooking()
  const uses = useKeyUses()
  const list = useRows('applications', applications, {
    isOwner,
    textsOf: ({ id, name, type }) => [id, name, type],
    ownActions: (_, row) => (row ? ownActions(row, as, uses.keys) : []),
  })
  const asked = applications.find((each) => each.id === list.deleting)
  const { id, rows, form, search, isSearch, close, edit, setDeleting } = list
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])

  if (!mayRead) return <LookingRefused permission="application:read" />
  return (
    <>
      {applications.length > 0 && <ListSearch label={t.search} {...search} />}
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readApplications} />
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
            {...list.shown}
            label={t.grid}
            columns={applicationColumns(uses, isOwner)}
            count={loaded ? rows.length : WAITING}
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
      <ListFoot
        words={[t.one, t.many]}
        counts={loaded ? { found: isSearch ? rows.length : null, known: applications.length, total } : null}
      />
      {asked && <DeleteApplication application={asked} onDeleted={close} onClose={() => setDeleting(null)} />}
    </>
  )
}

/** What can be done with an application besides what every row has. */
function ownActions(
  { id, name, type }: Application,
  as: { readonly id: string } | null,
  keys: readonly KeyUse[],
): readonly GridAction[] {
  const look: GridAction = {
    label: t.drawer.lookAs,
    icon: 'eye',
    run: () => lookAs({ id, name, type }, () => go(hrefOf('tokens'))),
  }
  if (as) return as.id === id ? [] : [look]
  const own = keys.filter(({ application_id }) => application_id === id)
  if (own.length === 0) return [look]
  const rotate: GridAction = {
    label: rotationOf(own) ? t.drawer.resume : t.drawer.rotate,
    icon: 'refresh',
    run: () => go(hrefOf('applications', id, { rotate: '1' })),
  }
  return [look, rotate]
}
