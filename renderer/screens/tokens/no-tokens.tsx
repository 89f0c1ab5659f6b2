import { Button, Group } from '@mantine/core'
import { useLooking } from '../../parts/looking.ts'
import { go } from '../../parts/route.ts'
import { hrefOf } from '../../parts/route-text.ts'
import { useSession } from '../../parts/session.ts'
import { curlOf } from '../../parts/snippets.ts'
import { strings } from '../../parts/strings.ts'
import { tokenTypes } from '../../parts/token-types.ts'
import { Code } from '../../ui/code.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Filters, isFiltered, isQuery } from './token-filters.ts'

const t = strings.tokens.empty

/** What tokens are for, and the first one. */
export function NoTokens({ filters, onCreate }: { filters: Filters; onCreate: () => void }) {
  const status = useSession((session) => session.status)
  const { as } = useLooking()
  if (filters.q !== undefined && !isQuery(filters.q)) {
    return <Empty icon="search" title={t.noneMatch} text={t.noneFoundText} />
  }
  if (isFiltered(filters)) return <Empty icon="filter" title={t.noneMatch} text={t.noneMatchText} />
  if (as) return <Empty icon="token" title={t.noneSeen(as.name)} text={t.noneSeenText} />
  const url =
    status?.listener.state === 'on'
      ? status.listener.url
      : `http://127.0.0.1:${status?.settings.port || 4747}`
  const body = { type: 'card', data: tokenTypes.card.sample }
  return (
    <Empty
      icon="token"
      title={t.title}
      text={t.text}
      action={
        <Group gap="xs">
          <Button onClick={onCreate}>{strings.tokens.create}</Button>
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
