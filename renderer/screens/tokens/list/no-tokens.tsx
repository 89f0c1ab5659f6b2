import { Button, Group } from '@mantine/core'
import { useLooking } from '../../../parts/access/looking.ts'
import { curlOf } from '../../../parts/api/snippets.ts'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { go } from '../../../parts/navigation/route.ts'
import { hrefOf } from '../../../parts/navigation/route-text.ts'
import { tokenTypes } from '../../../parts/tokens/token-types.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { strings } from '../strings.ts'
import { type Filters, isFiltered, isQuery } from './token-filters.ts'

const t = strings.empty

/** Explains an empty list, and offers the next step. */
export function NoTokens({ filters, onCreate }: { filters: Filters; onCreate: () => void }) {
  const url = useBaseUrl()
  const { as } = useLooking()
  if (filters.q !== undefined && !isQuery(filters.q)) {
    return <Empty icon="search" title={t.noneMatch} text={t.noneFoundText} />
  }
  if (isFiltered(filters)) return <Empty icon="filter" title={t.noneMatch} text={t.noneMatchText} />
  if (as) return <Empty icon="token" title={t.noneSeen(as.name)} text={t.noneSeenText} />
  const body = { type: 'card', data: tokenTypes.card.sample }
  return (
    <Empty
      icon="token"
      title={t.title}
      text={t.text}
      action={
        <Group gap="xs">
          <Button onClick={onCreate}>{strings.create}</Button>
          <Button variant="default" onClick={() => go(hrefOf('settings', 'transfer'))}>
            {t.import}
          </Button>
        </Group>
      }
    >
      <Code
        text={curlOf({ method: 'POST', url: `${url}/tokens`, key: t.keyHint, body })}
        what={t.curl}
        wrap
      />
    </Empty>
  )
}
