import { Button } from '@mantine/core'
import {
  type ComponentProps,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { TokenSelection } from '../../../../shared/schemas/bulk.ts'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
import { useMay } from '../../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../../parts/access/view-as-refused.tsx'
import { useBulk } from '../../../parts/bulk/bulk-store.ts'
import { describeError } from '../../../parts/messages/describe-error.ts'
import { Failure } from '../../../ui/failure.tsx'
import gridStyles from '../../../ui/grid/grid.module.css'
import { Grid } from '../../../ui/grid/grid.tsx'
import type { GridHandle, RowVisibility } from '../../../ui/grid/use-grid-view.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import screenStyles from '../../../ui/screen.module.css'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { NoTokens } from './no-tokens.tsx'
import { showRowsAt } from './show-place.ts'
import { createMetadataColumns, createTokenColumns, listMetadataKeys } from './token-columns.tsx'
import { applyEdit, type EditedToken, useTokenEdits } from './token-edits.ts'
import { findSeenRow } from './token-order.ts'
import { holdRow, loadMoreTokens, markTokensSeen, PAGE_SIZE, useTokens } from './tokens-store.ts'

/** Loads the next page when this many rows remain below or above the view. */
const PREFETCH_ROWS = 80
const PLACEHOLDER_ROWS = 12

type Props = {
  readonly handle: RefObject<GridHandle | null>
  readonly mayRead: boolean
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  readonly onShowNew: () => void
  readonly onContainer: (scope: string) => void
  readonly onCreate: () => void
  readonly onRetry: () => void
  /** Called before the rows of another place replace the loaded ones, and when an edited row is gone. */
  readonly onJump: () => void
} & Pick<ComponentProps<typeof Grid<EditedToken>>, 'selecting' | 'listActions' | 'sorting'>

/** The rows of the list. Loads the pages that come into view, also if they do not follow the loaded ones. */
export function TokenList(props: Props) {
  const { handle, mayRead, active, onActive, onOpen, onShowNew, onContainer, onCreate, onRetry, onJump } =
    props
  const { selecting, listActions, sorting } = props
  const { rows, above, next, loading, problem, fresh, filters, sort, lookedAt } = useTokens()
  const inView = useRef((_rows: string) => {})
  const { view, loadView, editing } = useRowsInView(inView, onJump)
  const count = useRowCount()
  const { edits } = useTokenEdits()
  const goTo = useDistantRow(handle, onActive)
  const filter = useRef(onContainer)
  filter.current = onContainer
  const columns = useMemo(() => createTokenColumns((scope) => filter.current(scope)), [])
  const metadataKeys = useMemo(() => JSON.stringify(listMetadataKeys(rows)), [rows])
  const metadataColumns = useMemo(() => createMetadataColumns(JSON.parse(metadataKeys)), [metadataKeys])
  const pendingDeletion = useBulk(({ started }) => (started?.until === undefined ? null : started.selection))
  if (!mayRead) return <ViewAsRefused permission="token:read" />
  if (problem !== null && rows.length === 0) {
    return (
      <div className={screenStyles.listFailure}>
        <Failure>{describeError(problem)}</Failure>
        <DeniedReason problem={problem} on={filters.container ? { containers: [filters.container] } : null} />
      </div>
    )
  }
  if (rows.length === 0 && !loading && next === null && above === 0)
    return <NoTokens filters={filters} onCreate={onCreate} />
  const seenAt = sort === 'newest' && lookedAt !== null ? findSeenRow({ rows, above }, lookedAt) : null
  return (
    <div className={styles.list}>
      <Grid
        handle={handle}
        label={strings.grid}
        columns={columns}
        count={count}
        row={(index) => {
          const token = rows[index - above]
          return token && applyEdit(token, edits[token.id])
        }}
        editing={editing}
        keyOf={(row) => row.id}
        active={active < 0 ? -1 : active + above}
        onActive={goTo}
        onOpen={(index) => onOpen(index - above)}
        onView={view}
        classOf={({ id }) =>
          fresh.has(id)
            ? gridStyles.fresh
            : isSelectedById(pendingDeletion, id)
              ? styles.gridLeaving
              : undefined
        }
        customColumns={metadataColumns}
        {...(selecting && { selecting })}
        {...(sorting && { sorting })}
        {...(seenAt !== null && { divider: { above: seenAt, label: strings.sinceYouLooked(seenAt) } })}
        listActions={listActions && ((index) => listActions(index - above))}
        below={
          problem !== null && (
            <NotLoaded
              onRetry={() => {
                onRetry()
                useTokens.setState({ problem: null })
                loadView()
              }}
            />
          )
        }
      />
      <NewTokensNotice grid={handle} inView={inView} onGo={onShowNew} />
    </div>
  )
}

/** Loads the rows that come into view, and holds the one that is being edited. */
function useRowsInView(inView: { readonly current: (rows: string) => void }, onJump: () => void) {
  const { above, next, loading, edited } = useTokens()
  const viewed = useRef<readonly [number, number]>([0, 0])
  const jump = useRef(onJump)
  jump.current = onJump
  const view = useCallback(
    (first: number, last: number) => {
      inView.current(`${first} ${last}`)
      viewed.current = [first, last]
      loadRange(first, last, PREFETCH_ROWS, jump.current)
    },
    [inView],
  )
  // A page may be too short to fill the view, or even empty (rule R-03). After a jump, the view may be elsewhere.
  useEffect(() => {
    if (!loading && edited === null && (next !== null || above > 0))
      loadRange(...viewed.current, 0, jump.current)
  }, [next, above, loading, edited])
  const editing = useMay('token:update') && { onRow: holdRow, onGone: onJump }
  return { view, editing, loadView: () => loadRange(...viewed.current, 0, jump.current) }
}

/** The number of rows in the list, loaded or not. If it is unknown, there are placeholders below the loaded rows. */
function useRowCount(): number {
  const { rows, above, next, problem, total, isExact } = useTokens()
  const known = above + rows.length
  if (known > 0 && next === null) return known
  if (total !== null && isExact && total > known) return total
  return problem === null ? known + PLACEHOLDER_ROWS : known
}

/** Moves to a row. If it is not loaded, scrolls there first, which loads it. */
function useDistantRow(handle: Props['handle'], onActive: Props['onActive']): (index: number) => void {
  const { rows, above, next, loading, wanted } = useTokens()
  const show = useRef(onActive)
  show.current = onActive
  useEffect(() => {
    if (wanted === null || loading) return
    const last = next === null ? above + rows.length - 1 : Infinity
    const at = Math.min(wanted, last) - above
    if (at < 0 || at >= rows.length) return
    useTokens.setState({ wanted: null })
    show.current(at)
  }, [rows, above, next, loading, wanted])
  return (index) => {
    const isLoaded = index >= above && index < above + rows.length
    useTokens.setState({ wanted: isLoaded ? null : index })
    if (isLoaded) onActive(index - above)
    else handle.current?.scrollTo(index)
  }
}

function isSelectedById(selection: TokenSelection | null, id: string): boolean {
  return selection !== null && 'ids' in selection && selection.ids.includes(id)
}

/** Loads the rows in view, and those that are at most `ahead` rows away. */
function loadRange(first: number, last: number, ahead: number, onJump: () => void): void {
  const { rows, above, next, previous, total, problem, edited } = useTokens.getState()
  if (problem !== null) return
  const end = above + rows.length
  const isBelow = next !== null && first > end + PAGE_SIZE && total !== null
  const isAbove = above > 0 && last < above - PAGE_SIZE
  if (isBelow || isAbove) {
    if (edited !== null) return
    onJump()
    void showRowsAt(first)
  } else if (next !== null && last >= end - ahead) void loadMoreTokens()
  else if (previous !== null && first <= above + ahead) void loadMoreTokens(true)
}

type NewTokensNoticeProps = {
  readonly grid: RefObject<GridHandle | null>
  /** Called with a key that changes with the visible rows: a ref, because scrolling must not render the list. */
  readonly inView: { current: (rows: string) => void }
  readonly onGo: () => void
}

function NewTokensNotice({ grid, inView, onGo }: NewTokensNoticeProps) {
  const { rows, above, newIds, isBehind, edited } = useTokens()
  const [viewKey, setViewKey] = useState('')
  inView.current = setViewKey
  const [visibility, setVisibility] = useState<RowVisibility>('below')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible rows determine what was seen
  useLayoutEffect(() => {
    if (newIds.length === 0) return
    const indexes = new Map(rows.map(({ id }, index) => [id, index]))
    const findVisibility = (id: string) => {
      const index = indexes.get(id)
      if (index === undefined) return above > 0 ? 'above' : 'below'
      return grid.current?.locateRow(index + above) ?? 'below'
    }
    markTokensSeen(newIds.filter((id) => findVisibility(id) === 'in view'))
    if (newIds[0] !== undefined) setVisibility(findVisibility(newIds[0]))
  }, [rows, above, newIds, viewKey])
  // It would cover the cell.
  const isOffered = edited === null && (isBehind || newIds.length > 0)
  return (
    <div className={styles.news} role="status">
      {isOffered && (
        <Button
          size="compact-sm"
          radius="xl"
          leftSection={<Icon name={isBehind || visibility === 'above' ? 'up' : 'down'} size={12} />}
          onClick={onGo}
        >
          {isBehind ? strings.behind : strings.newTokens(newIds.length)}
        </Button>
      )}
    </div>
  )
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <div className={gridStyles.below} role="status">
      {strings.notLoaded}
      <ActionButton label={ui.retry} size="compact-xs" onClick={onRetry} />
    </div>
  )
}
