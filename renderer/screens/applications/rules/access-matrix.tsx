import { Box, Text } from '@mantine/core'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { containerPattern, includesContainer } from '../../../../shared/containers.ts'
import { mayHold, type Permission } from '../../../../shared/permissions.ts'
import { getFieldErrors } from '../../../parts/messages/describe-error.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import type { Count } from '../../../parts/tokens/counts.ts'
import { useCounts } from '../../../parts/tokens/counts-store.ts'
import { listActions, nameAction } from './actions.ts'
import type { GrantsDraft } from './grants.ts'
import { describeOutcome, OutcomeChip } from './outcome.tsx'
import styles from './rules.module.css'
import { strings } from './strings.ts'
import { type AccessAttempt, type AccessDecision, useDecisions } from './use-decisions.ts'

const t = strings.matrix
/** The maximum numbers of containers without a rule of their own, and of all. */
const MAX_OTHERS = 40
const MAX_CONTAINERS = 200

export type Cell = { readonly container: string; readonly permission: Permission }

type Props = {
  readonly draft: GrantsDraft
  /** The stored grants, whose answers are compared; null for a new application. */
  readonly before: GrantsDraft | null
  readonly selected: Cell | null
  readonly onSelect: (cell: Cell | null) => void
  /** Receives the errors of the edited grants, by field path. */
  readonly onErrors: (errors: Readonly<Record<string, string>>) => void
}

/** Shows what the engine would answer in each container to each action, and what the draft changes. */
export function AccessMatrix({ draft, before, selected, onSelect, onErrors }: Props) {
  const { counts } = useCounts()
  const { containers, isCut } = useMemo(() => listContainers(counts, draft, before), [counts, draft, before])
  const columns = useMemo(() => listActions(draft), [draft])
  const attempts = useMemo(
    () =>
      containers.flatMap((container) =>
        columns
          .filter((permission) => mayHold(draft.type, permission))
          .map((permission) => toAttempt({ container, permission })),
      ),
    [containers, columns, draft.type],
  )
  const pending = useDecisions(draft, attempts)
  const stored = useDecisions(before ?? draft, before ? attempts : none)
  const { problem } = pending
  useEffect(() => onErrors(getFieldErrors(problem)), [problem, onErrors])
  const findBefore = (cell: Cell) => (before ? stored.find(toAttempt(cell)) : undefined)
  const changed = attempts.filter(({ cell }) =>
    isChanged(pending.find(toAttempt(cell)), findBefore(cell)),
  ).length
  return (
    <section className={styles.access} aria-label={t.title}>
      <div className={styles.head}>
        <h2 title={t.help}>{t.title}</h2>
        <Text role="status" span fz={12} c="var(--amber-text)">
          {t.changed(changed)}
        </Text>
      </div>
      <Problem of={problem} />
      <Table
        {...{ containers, columns, selected, onSelect, type: draft.type }}
        find={(cell) => pending.find(toAttempt(cell))}
        findBefore={findBefore}
      />
      {isCut && <p className="note">{t.rest}</p>}
    </section>
  )
}

const none: readonly AccessAttempt[] = []

function toAttempt(cell: Cell) {
  return { cell, permissions: [cell.permission], subjects: [[cell.container]] }
}

/** The containers of the rules and those with the most tokens: first those that a rule covers, in alphabetical order. */
function listContainers(counts: readonly Count[], draft: GrantsDraft, before: GrantsDraft | null) {
  const named = [...draft.rules, ...(before?.rules ?? [])].map(({ container }) => container)
  const sums = new Map<string, number>()
  for (const { container, tokens } of counts) sums.set(container, (sums.get(container) ?? 0) + tokens)
  const used = [...sums].sort(([, a], [, b]) => b - a).map(([container]) => container)
  const ruled = named.filter((each) => containerPattern.test(each)).map((each) => each.toLowerCase())
  const shown = [...new Set([...ruled, ...used.slice(0, MAX_OTHERS)])].sort()
  const isCovered = (each: string) => ruled.some((scope) => includesContainer(scope, each))
  const containers = [...shown.filter(isCovered), ...shown.filter((each) => !isCovered(each))]
  const isCut = used.length > MAX_OTHERS || containers.length > MAX_CONTAINERS
  return { containers: containers.slice(0, MAX_CONTAINERS), isCut }
}

type TableProps = Pick<Props, 'selected' | 'onSelect'> & {
  readonly type: GrantsDraft['type']
  readonly containers: readonly string[]
  readonly columns: readonly Permission[]
  readonly find: (cell: Cell) => AccessDecision | undefined
  readonly findBefore: (cell: Cell) => AccessDecision | undefined
}

/** The matrix. All cells together are one tab stop, and arrow keys select another cell. */
function Table({ type, containers, columns, selected, onSelect, find, findBefore }: TableProps) {
  const table = useRef<HTMLTableElement>(null)
  const row = Math.max(0, containers.indexOf(selected?.container ?? ''))
  const column = Math.max(0, columns.indexOf(selected?.permission ?? 'token:create'))
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && selected) {
      event.preventDefault()
      event.stopPropagation()
      onSelect(null)
      return
    }
    const [down, right] = steps[event.key] ?? [0, 0]
    const container = containers[row + down]
    const permission = columns[column + right]
    if ((down === 0 && right === 0) || event.altKey) return
    event.preventDefault()
    if (!container || !permission) return
    onSelect({ container, permission })
    const buttons = table.current?.querySelectorAll<HTMLElement>('td button')
    buttons?.[(row + down) * columns.length + column + right]?.focus()
  }
  return (
    <div className={styles.scroll}>
      <table ref={table} className={styles.matrix} onKeyDown={handleKeyDown}>
        <thead>
          <tr>
            <th scope="col">{t.container}</th>
            {columns.map((permission) => (
              <th key={permission} scope="col" title={permission}>
                {nameAction(permission)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {containers.map((container, at) => (
            <tr key={container}>
              <th scope="row" className="mono" title={container}>
                <bdi className="clip">{container}</bdi>
              </th>
              {columns.map((permission, index) => (
                <MatrixCell
                  key={permission}
                  cell={{ container, permission }}
                  isNever={!mayHold(type, permission)}
                  decision={find({ container, permission })}
                  before={findBefore({ container, permission })}
                  isTabStop={at === row && index === column}
                  isSelected={selected?.container === container && selected.permission === permission}
                  onSelect={onSelect}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

type MatrixCellProps = {
  readonly cell: Cell
  readonly isNever: boolean
  readonly decision: AccessDecision | undefined
  readonly before: AccessDecision | undefined
  readonly isTabStop: boolean
  readonly isSelected: boolean
  readonly onSelect: (cell: Cell | null) => void
}

function MatrixCell({ cell, isNever, decision, before, isTabStop, isSelected, onSelect }: MatrixCellProps) {
  const isOther = isChanged(decision, before)
  const action = nameAction(cell.permission)
  return (
    <td data-changed={isOther || undefined}>
      <button
        type="button"
        className={`unstyled ${styles.cell}`}
        tabIndex={isTabStop ? 0 : -1}
        aria-pressed={isSelected}
        title={
          isNever
            ? t.neverTitle(cell.permission)
            : before && isOther
              ? t.was(describeOutcome(before))
              : undefined
        }
        onClick={() => onSelect(isSelected ? null : cell)}
      >
        <span className="visually-hidden">{t.cell(action, cell.container)} </span>
        {isNever ? <span className="faint">{t.never}</span> : decision && <Decision of={decision} />}
        {isOther && before && (
          <span className={styles.was}>
            <span className="visually-hidden">{t.was(describeOutcome(before))}</span>
            <del aria-hidden="true">{describeOutcome(before)}</del>
          </span>
        )}
      </button>
    </td>
  )
}

/** An outcome, and the number of the rule that decides. */
function Decision({ of }: { of: AccessDecision }) {
  const { rule } = of
  return (
    <span className={styles.decision}>
      <OutcomeChip of={of} />
      {rule !== null && (
        <Box component="span" className="faint" fz={11} title={t.by(rule)}>
          <span className="visually-hidden">{t.by(rule)}</span>
          <span aria-hidden="true">{rule}</span>
        </Box>
      )}
    </span>
  )
}

function isChanged(decision: AccessDecision | undefined, before: AccessDecision | undefined): boolean {
  return (
    decision !== undefined && before !== undefined && describeOutcome(decision) !== describeOutcome(before)
  )
}
