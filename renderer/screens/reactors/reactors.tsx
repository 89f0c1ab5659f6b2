import './reactors.css'
import { Button, TextInput } from '@mantine/core'
import { type RefObject, useRef, useState } from 'react'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { go, leaveFor, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { ScreenHead } from '../../parts/navigation/screen-head.tsx'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { readReactors, useReactors } from '../../parts/reactors/reactors-store.ts'
import { RunningOff } from '../../parts/reactors/running-off.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid, type GridHandle } from '../../ui/grid/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Panel } from '../../ui/panel.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
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
  const { id, query } = useRoute()
  const { rows, total, loaded, problem } = useReactors()
  const actor = useActorName()
  const [search, setSearch] = useState('')
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)

  const shown = found(rows, search)
  const current = id ?? activeId
  const reactor = rows.find((each) => each.id === id)
  const isNew = isOwner && query.new !== undefined
  const isOpen = id !== null || isNew
  const start = Object.entries(gallery).find(([name]) => name === query.new)?.[1]

  function show(index: number, open: boolean) {
    const row = shown[index]
    if (!row) return
    setActive(row.id)
    if (open) go(hrefOf('reactors', row.id))
    else if (id !== null) go(hrefOf('reactors', row.id), { replace: true })
  }
  const close = () =>
    leaving(() => {
      setActive(id)
      go(hrefOf('reactors'))
      grid.current?.focus()
    })
  useKeys({ escape: close }, isOpen)
  const find = () => field.current?.select()
  useKeys({ 'mod+f': find, '/': find }, !isOpen)
  useKeys(
    {
      c: async () => {
        if (current === null) return
        await copyText(current)
        toast(t.copied)
      },
    },
    !isNew,
  )

  return (
    <>
      {!isOpen && (rows.length > 0 || search !== '') && (
        <Search value={search} onChange={setSearch} field={field} />
      )}
      <div className={isOpen ? 'split reactors-open' : 'split'}>
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readReactors} />
          </div>
        ) : loaded && rows.length === 0 ? (
          !isNew && <NoReactors isOwner={isOwner} />
        ) : loaded && shown.length === 0 ? (
          <Empty
            icon="search"
            title={t.noHits}
            text={t.noHitsText}
            action={
              <Button variant="default" onClick={() => setSearch('')}>
                {t.clear}
              </Button>
            }
          />
        ) : (
          <Grid
            handle={grid}
            label={t.grid}
            columns={reactorColumns(isOpen, actor)}
            count={loaded ? shown.length : WAITING}
            row={(index) => shown[index]}
            keyOf={(row) => row.id}
            active={shown.findIndex((each) => each.id === current)}
            onActive={(index) => show(index, false)}
            onOpen={(index) => show(index, true)}
          />
        )}
        {isNew ? (
          <Workbench
            key={`new ${query.new}`}
            reactor={null}
            start={start}
            onClose={close}
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
            onDelete={() => setDeleting(true)}
          />
        ) : reactor ? (
          <ReactorDrawer key={reactor.id} reactor={reactor} onClose={close} />
        ) : (
          id !== null &&
          loaded && (
            <Panel label={t.panel.label} title={t.panel.label} onClose={close}>
              <div className="form">
                <Failure>{t.panel.gone}</Failure>
              </div>
            </Panel>
          )
        )}
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(shown.length, rows.length, total, search.trim() !== '')}</span>
      </div>
      {deleting && reactor && (
        <DeleteReactor
          reactor={reactor}
          onDeleted={() => go(hrefOf('reactors'))}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}

/** The reactors whose name, id or code contains what was typed. */
function found(rows: readonly ReactorObject[], search: string): readonly ReactorObject[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter(({ id, name, code }) =>
    [id, name, code].some((text) => text.toLowerCase().includes(wanted)),
  )
}

type SearchProps = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly field: RefObject<HTMLInputElement | null>
}

function Search({ value, onChange, field }: SearchProps) {
  return (
    <search className="filters reactors-filters">
      <TextInput
        ref={field}
        className="filter-search"
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        leftSection={<Icon name="search" size={14} />}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </search>
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
