import { Button } from '@mantine/core'
import { Empty } from '../../ui/empty.tsx'
import { strings } from './strings.ts'

type Props = {
  /** The noun of the list, such as `proxy`. */
  readonly what: string
  /** The sentence that says which fields the search covers. */
  readonly text: string
  readonly onClear: () => void
}

/** Replaces a list in which the search matches nothing. */
export function NoMatch({ what, text, onClear }: Props) {
  return (
    <Empty
      icon="search"
      title={strings.noMatch(what)}
      text={text}
      action={
        <Button variant="default" onClick={onClear}>
          {strings.clear}
        </Button>
      }
    />
  )
}
