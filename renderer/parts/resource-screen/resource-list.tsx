import { Fragment, type ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel } from '../../ui/panel.tsx'
import screenStyles from '../../ui/screen.module.css'
import { useIsOwner } from '../access/view-as.ts'
import type { LoadedList } from '../connection/loaded-list.ts'
import { Confirm } from '../forms/confirm.tsx'
import { FormGone, useEdited } from '../forms/gone.tsx'
import { InputConfirm } from '../forms/input-confirm.tsx'
import { showToast } from '../messages/toast.tsx'
import { ListSearch } from '../navigation/list-search.tsx'
import { PanelBoundary } from '../navigation/panel-boundary.tsx'
import { Pinnable } from '../navigation/pinnable.tsx'
import { navigate } from '../navigation/route.ts'
import type { Screen } from '../navigation/screens.ts'
import { TypeAhead } from '../navigation/search-keys.ts'
import { type UseRowsOptions, useRows } from '../navigation/use-rows.ts'
import { ListStates } from './list-states.tsx'
import { strings as t } from './strings.ts'

type Resource = { readonly id: string; readonly name?: string | undefined }

export type ResourceStrings = {
  readonly grid: string
  readonly one: string
  readonly many: string
  /** The search box, and the sentence that says which fields it covers. */
  readonly search?: string
  readonly searched?: string
  readonly drawer: { readonly label: string; readonly gone: string }
  /** The question before a deletion, which asks for the name of the row if it has one. */
  readonly remove?: {
    readonly title: string
    readonly text: string
    readonly action: string
    readonly done: (name: string) => string
  }
}

/** What a drawer can do with its row. */
export type DrawerActions = {
  readonly onClose: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

export type FormActions = { readonly onClose: () => void; readonly onSaved: (id: string) => Promise<void> }

type ResourceRows<Row extends Resource> = ReturnType<typeof useResourceRows<Row>>

type Props<Row extends Resource> = {
  readonly list: ResourceRows<Row>
  readonly strings: ResourceStrings
  readonly columns: readonly Column<Row>[]
  readonly placeholderRows?: number
  /** Replaces the list while the vault has no rows. */
  readonly empty: ReactNode
  readonly note?: ReactNode
  /** Filters in place of the search. With them, the list may be empty although the vault has rows. */
  readonly filters?: { readonly bar: ReactNode; readonly isActive: boolean; readonly onClear: () => void }
  /** Replaces the number of rows in the footer. */
  readonly count?: string
  readonly renderForm?: (row: Row | null, actions: FormActions) => ReactNode
  readonly renderDrawer: (row: Row, actions: DrawerActions) => ReactNode
  /** The drawer of an id that is not in the loaded rows. */
  readonly renderOther?: (id: string, actions: DrawerActions) => ReactNode
  readonly onRemove?: (id: string) => Promise<unknown>
  /** Whether the panel takes the place of the search; the class says how it is laid out. */
  readonly openClass?: string | undefined
}

/** The rows of a loaded list, with their keyboard navigation, search and actions. */
export function useResourceRows<Row extends Resource>(
  screen: Screen,
  source: LoadedList<Row>,
  options: Omit<UseRowsOptions<Row>, 'isOwner'> = {},
) {
  const state = source.useList()
  const isOwner = useIsOwner()
  const list = useRows(screen, state.rows, { ...options, isOwner })
  return { ...list, screen, source, state, isOpen: list.id !== null || list.form }
}

/** The list of a resource with its search, panel, footer, and the question before a deletion. */
export function ResourceList<Row extends Resource>(props: Props<Row>) {
  const { list, strings, columns, placeholderRows = 6, empty, note, openClass, filters, count } = props
  const { rows, search, source, state } = list
  const { rows: all, loaded, problem, total } = state
  const isPanelAlone = openClass !== undefined && list.isOpen
  const clear = filters?.onClear ?? (() => search.onChange(''))
  return (
    <>
      {filters?.bar}
      {strings.search !== undefined && !loaded && <TypeAhead />}
      {strings.search !== undefined && all.length > 0 && !isPanelAlone && (
        <ListSearch label={strings.search} {...search} />
      )}
      <div className={isPanelAlone ? `${panelStyles.split} ${openClass}` : panelStyles.split}>
        <ListStates
          problem={problem}
          loaded={loaded}
          onRetry={source.read}
          isEmpty={rows.length === 0}
          empty={
            all.length === 0 && !filters?.isActive ? (
              empty
            ) : (
              <Empty
                icon="search"
                title={t.noMatch(strings.one)}
                text={strings.searched ?? ''}
                action={<ActionButton label={t.clear} onClick={clear} />}
              />
            )
          }
        >
          <Grid
            {...list.gridProps}
            label={strings.grid}
            columns={columns}
            count={loaded ? rows.length : placeholderRows}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
          />
        </ListStates>
        <PanelBoundary {...list.beside}>
          <Pinnable
            screen={list.screen}
            id={list.id}
            form={list.form}
            renderPinned={(id, onClose) => <RowPanel {...props} id={id} onClose={onClose} />}
          >
            <ResourcePanel {...props} />
          </Pinnable>
        </PanelBoundary>
      </div>
      <div className={screenStyles.foot}>
        <span role="status">
          {loaded &&
            (count ??
              t.count([strings.one, strings.many], {
                found: list.isSearch ? rows.length : null,
                known: all.length,
                total,
              }))}
        </span>
        {note !== undefined && <span>{note}</span>}
      </div>
      <Deletion {...props} />
    </>
  )
}

/** The panel beside the list: a form, a row, or that the row does not exist. */
function ResourcePanel<Row extends Resource>(props: Props<Row>) {
  const { list, renderForm } = props
  const { id, isNew } = list
  const { row, isGone } = useEditedRow(list, id)
  if (renderForm && list.form && (isNew || row)) {
    const actions = { onClose: list.cancel, onSaved: list.leaveForm }
    return (
      <FormGone key={isNew ? 'new' : id} value={!isNew && isGone}>
        {renderForm(isNew ? null : row, actions)}
      </FormGone>
    )
  }
  return id !== null && <RowPanel {...props} id={id} onClose={list.close} />
}

/** A row, as `useEdited` returns it, unless it is being deleted here, and whether it is gone. */
function useEditedRow<Row extends Resource>(list: ResourceRows<Row>, id: string | null) {
  const stored = list.state.rows.find((each) => each.id === id) ?? null
  const edited = useEdited(stored, id)
  return { row: list.deleting === id ? stored : edited, isGone: stored === null }
}

type RowPanelProps<Row extends Resource> = Props<Row> & { readonly id: string; readonly onClose: () => void }

function RowPanel<Row extends Resource>({ id, onClose, ...props }: RowPanelProps<Row>) {
  const { list, strings, renderDrawer, renderOther } = props
  const { row, isGone } = useEditedRow(list, id)
  const actions = {
    onClose,
    onEdit: () => navigate(list.href(id, { edit: '1' })),
    onDelete: () => list.setDeleting(id),
  }
  if (row) {
    return (
      <FormGone key={id} value={isGone}>
        {renderDrawer(row, actions)}
      </FormGone>
    )
  }
  if (!list.state.loaded) return null
  if (renderOther) return <Fragment key={id}>{renderOther(id, actions)}</Fragment>
  return <NotFoundPanel label={strings.drawer.label} text={strings.drawer.gone} onClose={onClose} />
}

function Deletion<Row extends Resource>({ list, strings, renderOther, onRemove }: Props<Row>) {
  const { setDeleting, close, source, deleting } = list
  if (deleting === null || !strings.remove || !onRemove) return null
  const row = list.state.rows.find(({ id }) => id === deleting)
  // The panel already says that the row does not exist.
  if (!row && list.state.loaded && !renderOther) return null
  const { title, text, action, done } = strings.remove
  const question = {
    title,
    action,
    children: text,
    onClose: () => setDeleting(null),
    async onConfirm() {
      await onRemove(deleting)
      await source.load()
      close()
      showToast(done(row?.name ?? ''))
    },
  }
  if (row?.name === undefined) return <Confirm {...question} />
  return <InputConfirm {...question} word={row.name} />
}

/** The drawer of an item that does not exist or no longer exists. */
function NotFoundPanel({ label, text, onClose }: { label: string; text: string; onClose: () => void }) {
  return (
    <Panel label={label} title={label} onClose={onClose}>
      <div className={formStyles.root}>
        <Failure>{text}</Failure>
      </div>
    </Panel>
  )
}
