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
import type { Token } from '../../../../shared/schemas/token.ts'
import { DeniedReason } from '../../../parts/access/denied-reason.tsx'
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
import { createMetadataColumns, createTokenColumns } from './token-columns.tsx'
import { loadMoreTokens, markTokensSeen, useTokens } from './tokens-store.ts'

/** Loads the next page when this many rows remain below the view. */
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
} & Pick<ComponentProps<typeof Grid<Token>>, 'selecting' | 'listActions' | 'sorting'>

/** The rows of the list. Loads more pages as the end approaches. */
export function TokenList(props: Props) {
  const { handle, mayRead, active, onActive, onOpen, onShowNew, onContainer, onCreate, onRetry } = props
  const { selecting, listActions, sorting } = props
  const { rows, next, loading, problem, fresh, filters } = useTokens()
  const inView = useRef((_rows: string) => {})
  const lastInView = useRef(0)
  const view = useCallback((first: number, last: number) => {
    inView.current(`${first} ${last}`)
    lastInView.current = last
    loadAhead(last, PREFETCH_ROWS)
  }, [])
  // A page may be too short to fill the view, or even empty (rule R-03).
  useEffect(() => {
    if (next !== null) loadAhead(lastInView.current, 0)
  }, [next])
  const filter = useRef(onContainer)
  filter.current = onContainer
  const columns = useMemo(() => createTokenColumns((scope) => filter.current(scope)), [])
  const metadataColumns = useMemo(() => createMetadataColumns(rows), [rows])
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
  if (rows.length === 0 && !loading && next === null)
    return <NoTokens filters={filters} onCreate={onCreate} />
  const waiting = problem === null && (next !== null || rows.length === 0) ? PLACEHOLDER_ROWS : 0
  return (
    <div className={styles.list}>
      <Grid
        handle={handle}
        label={strings.grid}
        columns={columns}
        count={rows.length + waiting}
        row={(index) => rows[index]}
        keyOf={(row) => row.id}
        active={active}
        onActive={onActive}
        onOpen={onOpen}
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
        listActions={listActions}
        below={problem !== null && <NotLoaded onRetry={onRetry} />}
      />
      <NewTokensNotice grid={handle} inView={inView} onGo={onShowNew} />
    </div>
  )
}

function isSelectedById(selection: TokenSelection | null, id: string): boolean {
  return selection !== null && 'ids' in selection && selection.ids.includes(id)
}

/** Loads the next page when at most `ahead` rows remain below the view. */
function loadAhead(last: number, ahead: number): void {
  const { rows, problem } = useTokens.getState()
  if (problem === null && last >= rows.length - ahead) void loadMoreTokens()
}

type NewTokensNoticeProps = {
  readonly grid: RefObject<GridHandle | null>
  /**
   * Called with a key that changes with the visible rows. A ref instead of state, because scrolling must not
   * re-render the list.
   */
  readonly inView: { current: (rows: string) => void }
  readonly onGo: () => void
}

function NewTokensNotice({ grid, inView, onGo }: NewTokensNoticeProps) {
  const { rows, newIds, isBehind } = useTokens()
  const [viewKey, setViewKey] = useState('')
  inView.current = setViewKey
  const [visibility, setVisibility] = useState<RowVisibility>('below')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible rows determine what was seen
  useLayoutEffect(() => {
    const findVisibility = (id: string) => {
      const index = rows.findIndex((row) => row.id === id)
      return index < 0 ? 'below' : (grid.current?.locateRow(index) ?? 'below')
    }
    markTokensSeen(newIds.filter((id) => findVisibility(id) === 'in view'))
    if (newIds[0] !== undefined) setVisibility(findVisibility(newIds[0]))
  }, [rows, newIds, viewKey])
  const isOffered = isBehind || newIds.length > 0
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
