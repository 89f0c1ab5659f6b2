import { Button } from '@mantine/core'
import type { Ref } from 'react'
import { WhyNot } from '../requests/why-not.tsx'
import { sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { Failure } from '../ui/failure.tsx'
import { Grid, type GridHandle } from '../ui/grid.tsx'
import { NoTokens } from './no-tokens.tsx'
import { tokenColumns } from './token-columns.tsx'
import { isFiltered } from './token-filters.ts'
import { moreTokens, useTokens } from './tokens-store.ts'

/** Rows before the last that make the next page come. */
const AHEAD = 80
const WAITING = 12

type Props = {
  readonly handle: Ref<GridHandle>
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (index: number) => void
  readonly onContainer: (scope: string) => void
  readonly onCreate: () => void
  readonly onRetry: () => void
}

function view(_first: number, last: number): void {
  const { rows, problem } = useTokens.getState()
  if (problem === null && last >= rows.length - AHEAD) moreTokens()
}

/** The tokens as rows; further pages come as the end comes near. */
export function TokenList({ handle, active, onActive, onOpen, onContainer, onCreate, onRetry }: Props) {
  const { rows, next, loading, problem, fresh, filters } = useTokens()
  const columns = tokenColumns(onContainer)
  if (problem !== null && rows.length === 0) {
    return (
      <div className="list-failure">
        <Failure>{sentenceOf(problem)}</Failure>
        <WhyNot problem={problem} on={filters.container ? { containers: [filters.container] } : null} />
      </div>
    )
  }
  if (rows.length === 0 && !loading) return <NoTokens filtered={isFiltered(filters)} onCreate={onCreate} />
  const waiting = problem === null && (next !== null || rows.length === 0) ? WAITING : 0
  return (
    <Grid
      handle={handle}
      label={strings.tokens.grid}
      columns={columns}
      count={rows.length + waiting}
      row={(index) => rows[index]}
      keyOf={(row) => row.id}
      active={active}
      onActive={(index) => onActive(Math.min(index, rows.length - 1))}
      onOpen={onOpen}
      onView={view}
      classOf={(row) => (fresh.has(row.id) ? 'grid-fresh' : undefined)}
      below={problem !== null && <NotLoaded onRetry={onRetry} />}
    />
  )
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="grid-below" role="status">
      {strings.tokens.notLoaded}
      <Button variant="default" size="compact-xs" onClick={onRetry}>
        {strings.frame.retry}
      </Button>
    </div>
  )
}
