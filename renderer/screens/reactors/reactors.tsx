import './reactors.css'
import { Button } from '@mantine/core'
import { useActorName } from '../../parts/access/application-names.ts'
import { reactorList, useReactors } from '../../parts/access/resource-lists.ts'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { describeError } from '../../parts/messages/describe-error.ts'
import { ListFooter } from '../../parts/navigation/list-footer.tsx'
import { ListSearch } from '../../parts/navigation/list-search.tsx'
import { NoMatch } from '../../parts/navigation/no-match.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, navigateAway, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ScreenHeader } from '../../parts/navigation/screen-header.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { RunningOff } from '../../parts/reactors/running-off.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/loading.tsx'
import { NotFoundPanel } from '../../ui/not-found-panel.tsx'
import { DeleteReactor } from './delete-reactor.tsx'
import { gallery } from './gallery.ts'
import { GalleryCards } from './gallery-cards.tsx'
import { createReactorColumns } from './reactor-columns.tsx'
import { ReactorDrawer } from './reactor-drawer.tsx'
import { strings } from './strings.ts'
import { Workbench } from './workbench.tsx'

const t = strings
const PLACEHOLDER_ROWS = 6
const views = ['reactors', 'gallery'] as const
type ReactorsView = (typeof views)[number]

/** Reactors: where the owner writes and tests code. */
export function Reactors() {
  const { query } = useRoute()
  const isOwner = useViewAs(({ as }) => as === null)
  const mayRead = useMay('reactor:read')
  const view: ReactorsView = (isOwner && views.find((each) => each === query.view)) || 'reactors'
  const openNewForm = () => isOwner && navigate(toHref('reactors', null, { new: '1' }))
  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  return (
    <>
      <ScreenHeader
        screen="reactors"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        create={t.create}
        onCreate={openNewForm}
      />
      {isOwner && (
        <div className="notice-line">
          <RunningOff />
        </div>
      )}
      {!mayRead ? (
        <ViewAsRefused permission="reactor:read" />
      ) : view === 'gallery' ? (
        <div className="gallery-body">
          <GalleryCards />
        </div>
      ) : (
        <List isOwner={isOwner} />
      )}
    </>
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { query } = useRoute()
  const { rows: reactors, total, loaded, problem } = useReactors()
  const actor = useActorName()
  const list = useRows('reactors', reactors, {
    isOwner,
    isFixed: true,
    getTexts: ({ id, name, code }) => [id, name, code],
  })
  const { id, rows, open: reactor, close, search, isSearch, setDeleting } = list
  const deletedReactor = reactors.find((each) => each.id === list.deleting)
  const isNew = isOwner && list.isNew
  const isOpen = id !== null || isNew
  // E (edit) opens the reactor, because its drawer is the edit form.
  useKeys({ e: () => list.gridProps.onOpen(list.gridProps.active) }, !isOpen)
  const start = Object.entries(gallery).find(([name]) => name === query.new)?.[1]

  return (
    <>
      {!isOpen && reactors.length > 0 && <ListSearch label={t.search} {...search} />}
      <div className={isOpen ? 'split reactors-open' : 'split'}>
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={describeError(problem)} onRetry={reactorList.read} />
          </div>
        ) : loaded && reactors.length === 0 ? (
          !isNew && <NoReactors isOwner={isOwner} />
        ) : loaded && rows.length === 0 ? (
          <NoMatch what={t.one} text={t.searched} onClear={() => search.onChange('')} />
        ) : (
          <Grid
            {...list.gridProps}
            label={t.grid}
            columns={createReactorColumns(isOpen, actor)}
            count={loaded ? rows.length : PLACEHOLDER_ROWS}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
          />
        )}
        <PanelBoundary {...list.beside}>
          {isNew ? (
            <Workbench
              key={`new ${query.new}`}
              reactor={null}
              start={start}
              onClose={list.cancel}
              onCreated={(createdId) => navigateAway(toHref('reactors', createdId))}
              onDelete={close}
            />
          ) : reactor && isOwner ? (
            <Workbench
              key={reactor.id}
              reactor={reactor}
              start={undefined}
              onClose={close}
              onCreated={async () => {}}
              onDelete={() => setDeleting(reactor.id)}
            />
          ) : reactor ? (
            <ReactorDrawer key={reactor.id} reactor={reactor} onClose={close} />
          ) : (
            id !== null &&
            loaded && <NotFoundPanel label={t.panel.label} text={t.panel.gone} onClose={close} />
          )}
        </PanelBoundary>
      </div>
      <ListFooter
        nouns={[t.one, t.many]}
        counts={loaded ? { found: isSearch ? rows.length : null, known: reactors.length, total } : null}
      />
      {deletedReactor && (
        <DeleteReactor reactor={deletedReactor} onDeleted={close} onClose={() => setDeleting(null)} />
      )}
    </>
  )
}

function NoReactors({ isOwner }: { isOwner: boolean }) {
  return (
    <div className="reactors-start">
      <Empty
        icon="bolt"
        title={t.empty.title}
        text={t.empty.text}
        action={
          isOwner && (
            <Button variant="default" onClick={() => navigate(toHref('reactors', null, { new: '1' }))}>
              {t.empty.first}
            </Button>
          )
        }
      />
      {isOwner && <GalleryCards />}
    </div>
  )
}
