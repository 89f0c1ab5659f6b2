import { Empty } from '../../ui/empty.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { RequestSnippet, type SnippetRequest } from './request-snippet.tsx'

type Props = Omit<SnippetRequest, 'method' | 'key'> & {
  readonly icon: IconName
  readonly strings: { readonly title: string; readonly text: string }
  /** Stands for the key in the request. */
  readonly keyHint: string
}

/** A list without rows, which only programs create, and the request that creates one. */
export function NoneCreated({ icon, strings: { title, text }, keyHint, ...request }: Props) {
  return (
    <Empty icon={icon} title={title} text={text}>
      <RequestSnippet request={{ ...request, method: 'POST', key: keyHint }} wrap />
    </Empty>
  )
}
