import './reactors.css'
import { Button } from '@mantine/core'
import { useActorName } from '../../parts/access/application-names.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { ListFoot } from '../../parts/navigation/list-foot.tsx'
import { ListSearch } from '../../parts/navigation/list-search.tsx'
import { NoMatch } from '../../parts/navigation/no-match.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { go, leaveFor, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { ScreenHead } from '../../parts/navigation/screen-head.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { readReactors, useReactors } from '../../parts/reactors/reactors-store.ts'
import { RunningOff } from '../../parts/reactors/running-off.tsx'
import { Empty } from '../../ui/empty.tsx'
import { GonePanel } from '../../ui/gone-panel.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/waiting.tsx'
import { DeleteReactor } from './delete-reactor.tsx'
import { gallery } from './gallery.ts'
import { GalleryCards } from './gallery-cards.tsx'
import { reactorColumns } from './reactor-columns.tsx'
import { ReactorDrawer } from './reactor-drawer.tsx'
import { strings } from './strings.ts'
import { Workbench } from './workbench.tsx'

const t = strings
/** The number of placeholder rows while loading. */
const WAITING = 6
const views = ['reactors', 'gallery'] as const
type View = (typeof views)[number]

/** Reactors: the owner's code, where it is written and tried. */
export function Reactors() {
  const { query } = useRoute()
  const isOwner = useLooking(({ as }) => as === null)
  const mayRead = useMay('reactor:read')
  const view: View = (isOwner && views.find((each) => each === query.view)) || 'reactors'
  const create = () => isOwner && go(hrefOf('reactors', null, { new: '1' }))
  useKeys({ 'mod+n': create, n: create })
  return (
    <>
      <ScreenHead
        screen="reactors"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        create={t.create}
        onCreate={create}
      />
      {isOwner && (
        <div className="notice-line">
          <RunningOff />
        </div>
      )}
      {!mayRead ? (
        <LookingRefused permission="reactor:read" />
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
    textsOf: ({ id, name, code }) => [id, name, code],
  })
  const { id, rows, open: reactor, close, search, isSearch, setDeleting } = list
  const asked = reactors.find((each) => each.id === list.deleting)
  const isNew = isOwner && list.isNew
  const isOpen = id !== null || isNew
  // A reactor is opened to be changed: its form is its drawer.
  useKeys({ e: () => list.shown.onOpen(list.shown.active) }, !isOpen)
  const start = Object.entries(gallery).find(([name]) => name === query.new)?.[1]

  return (
    <>
      {!isOpen && reactors.length > 0 && <ListSearch label={t.search} {...search} />}
      <div className={isOpen ? 'split reactors-open' : 'split'}>
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readReactors} />
          </div>
        ) : loaded && reactors.length === 0 ? (
          !isNew && <NoReactors isOwner={isOwner} />
        ) : loaded && rows.length === 0 ? (
          <NoMatch what={t.one} text={t.searched} onClear={() => search.onChange('')} />
        ) : (
          <Grid
            {...list.shown}
            label={t.grid}
            columns={reactorColumns(isOpen, actor)}
            count={loaded ? rows.length : WAITING}
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
              onMade={(made) => leaveFor(hrefOf('reactors', made))}
              onDelete={close}
            />
          ) : reactor && isOwner ? (
            <Workbench
              key={reactor.id}
              reactor={reactor}
              start={undefined}
              onClose={close}
              onMade={async () => {}}
              onDelete={() => setDeleting(reactor.id)}
            />
          ) : reactor ? (
            <ReactorDrawer key={reactor.id} reactor={reactor} onClose={close} />
          ) : (
            id !== null && loaded && <GonePanel label={t.panel.label} text={t.panel.gone} onClose={close} />
          )}
        </PanelBoundary>
      </div>
      <ListFoot
        words={[t.one, t.many]}
        counts={loaded ? { found: isSearch ? rows.length : null, known: reactors.length, total } : null}
      />
      {asked && <DeleteReactor reactor={asked} onDeleted={close} onClose={() => setDeleting(null)} />}
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
            <Button variant="default" onClick={() => go(hrefOf('reactors', null, { new: '1' }))}>
              {t.empty.first}
            </Button>
          )
        }
      />
      {isOwner && <GalleryCards />}
    </div>
  )
}
