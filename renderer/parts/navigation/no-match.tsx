import { Button } from '@mantine/core'
import { Empty } from '../../ui/empty.tsx'
import { strings } from './strings.ts'

type Props = {
  /** What is listed, such as `proxy`. */
  readonly what: string
  /** Where the search looks. */
  readonly text: string
  readonly onClear: () => void
}

/** Stands in place of a list whose search finds nothing. */
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
