import { type Counts, strings } from './strings.ts'

type Props = {
  /** What the list holds, in the singular and the plural. */
  readonly words: readonly [one: string, many: string]
  /** Null until the list is loaded. */
  readonly counts: Counts | null
}

/** How many there are below a list, and how many of them its search finds. */
export function ListFoot({ words, counts }: Props) {
  return (
    <div className="screen-foot">
      <span role="status">{counts && strings.count(words, counts)}</span>
    </div>
  )
}
