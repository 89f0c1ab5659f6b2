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
import type { Selection } from '../../../../shared/schemas/bulk.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { LookingRefused } from '../../../parts/access/looking-refused.tsx'
import { WhyNot } from '../../../parts/access/why-not.tsx'
import { useBulk } from '../../../parts/bulk/bulk-store.ts'
import { sentenceOf } from '../../../parts/messages/sentence.ts'
import { Failure } from '../../../ui/failure.tsx'
import { Grid, type GridHandle, type RowPlace } from '../../../ui/grid/grid.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from '../strings.ts'
import { NoTokens } from './no-tokens.tsx'
import { pairColumns, tokenColumns } from './token-columns.tsx'
import { moreTokens, sawTokens, useTokens } from './tokens-store.ts'

/** Load the next page this many rows before the end. */
const AHEAD = 80
const WAITING = 12

type Props = {
  readonly handle: RefObject<GridHandle | null>
  /** Whether the current view may read the list. */
  readonly mayRead: boolean
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  readonly onNews: () => void
  readonly onContainer: (scope: string) => void
  readonly onCreate: () => void
  readonly onRetry: () => void
} & Pick<ComponentProps<typeof Grid<Token>>, 'selecting' | 'actionsOf' | 'sorting'>

/** The tokens as rows; more pages load as the end approaches. */
export function TokenList(props: Props) {
  const { handle, mayRead, active, onActive, onOpen, onNews, onContainer, onCreate, onRetry } = props
  const { selecting, actionsOf, sorting } = props
  const { rows, next, loading, problem, fresh, filters } = useTokens()
  const inView = useRef((_rows: string) => {})
  const lastInView = useRef(0)
  const view = useCallback((first: number, last: number) => {
    inView.current(`${first} ${last}`)
    lastInView.current = last
    loadAhead(last, AHEAD)
  }, [])
  // A page may end before it fills the view, or hold nothing (rule R-03).
  useEffect(() => {
    if (next !== null) loadAhead(lastInView.current, 0)
  }, [next])
  const filter = useRef(onContainer)
  filter.current = onContainer
  const columns = useMemo(() => tokenColumns((scope) => filter.current(scope)), [])
  const made = useMemo(() => pairColumns(rows), [rows])
  const leaving = useBulk(({ begun }) => (begun?.until === undefined ? null : begun.selection))
  if (!mayRead) return <LookingRefused permission="token:read" />
  if (problem !== null && rows.length === 0) {
    return (
      <div className="list-failure">
        <Failure>{sentenceOf(problem)}</Failure>
        <WhyNot problem={problem} on={filters.container ? { containers: [filters.container] } : null} />
      </div>
    )
  }
  if (rows.length === 0 && !loading && next === null)
    return <NoTokens filters={filters} onCreate={onCreate} />
  const waiting = problem === null && (next !== null || rows.length === 0) ? WAITING : 0
  return (
    <div className="token-list">
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
          fresh.has(id) ? 'grid-fresh' : isNamed(leaving, id) ? 'grid-leaving' : undefined
        }
        made={made}
        {...(selecting && { selecting })}
        {...(sorting && { sorting })}
        actionsOf={actionsOf}
        below={problem !== null && <NotLoaded onRetry={onRetry} />}
      />
      <News grid={handle} inView={inView} onGo={onNews} />
    </div>
  )
}

/** Whether a token will be deleted, as far as its id tells. */
function isNamed(selection: Selection | null, id: string): boolean {
  return selection !== null && 'ids' in selection && selection.ids.includes(id)
}

/** Loads the next page once the last row in view is at most this many before the end. */
function loadAhead(last: number, ahead: number): void {
  const { rows, problem } = useTokens.getState()
  if (problem === null && last >= rows.length - ahead) moreTokens()
}

type NewsProps = {
  readonly grid: RefObject<GridHandle | null>
  /** Called with a text that changes with the rows in view; not a state of the list, which scrolling must not draw again. */
  readonly inView: { current: (rows: string) => void }
  readonly onGo: () => void
}

/** Offers new tokens that are out of view, with a button that goes to them. */
function News({ grid, inView, onGo }: NewsProps) {
  const { rows, news, isBehind } = useTokens()
  const [shown, setShown] = useState('')
  inView.current = setShown
  const [place, setPlace] = useState<RowPlace>('below')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows in view determine what was seen
  useLayoutEffect(() => {
    const placeOf = (id: string) => {
      const index = rows.findIndex((row) => row.id === id)
      return index < 0 ? 'below' : (grid.current?.placeOf(index) ?? 'below')
    }
    sawTokens(news.filter((id) => placeOf(id) === 'in view'))
    if (news[0] !== undefined) setPlace(placeOf(news[0]))
  }, [rows, news, shown])
  const isOffered = isBehind || news.length > 0
  return (
    <div className="news" role="status">
      {isOffered && (
        <Button
          size="compact-sm"
          radius="xl"
          leftSection={<Icon name={isBehind || place === 'above' ? 'up' : 'down'} size={12} />}
          onClick={onGo}
        >
          {isBehind ? strings.behind : strings.news(news.length)}
        </Button>
      )}
    </div>
  )
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="grid-below" role="status">
      {strings.notLoaded}
      <Button variant="default" size="compact-xs" onClick={onRetry}>
        {ui.retry}
      </Button>
    </div>
  )
}
