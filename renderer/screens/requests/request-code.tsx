import type { ApiOperation } from '../../parts/api/api-document.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { useBuilder } from './builder-store.ts'
import { formatRequestPath, parseDraftBody, type RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.build

export function RequestCode({ operation, draft }: { operation: ApiOperation; draft: RequestDraft }) {
  const { key, through } = useBuilder()
  const hasKey = through === 'listener' && key !== ''
  return (
    <RequestSnippet
      request={{
        method: operation.method,
        path: formatRequestPath(operation, draft),
        key: hasKey ? key : t.keyHint,
        body: operation.body ? parseDraftBody(draft) : undefined,
        route: operation.path,
        params: operation.parameters
          .filter((each) => each.in === 'path')
          .map(({ name }) => draft.params[name] ?? `{${name}}`),
      }}
      secret={hasKey}
    />
  )
}
