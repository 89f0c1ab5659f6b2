import { Button } from '@mantine/core'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { strings } from '../strings.ts'

const t = strings.empty

/** Explains an empty list and suggests the next step. */
export function NoDocuments({ onUpload }: { onUpload: () => void }) {
  const url = useBaseUrl()
  return (
    <Empty
      icon="document"
      title={t.title}
      text={t.text}
      action={
        <>
          <Button onClick={onUpload}>{t.first}</Button>
          <span className="faint">{t.drop}</span>
        </>
      }
    >
      <Code text={formatUploadCommand(url)} what={strings.curl} wrap />
    </Empty>
  )
}

function formatUploadCommand(url: string): string {
  return [
    `curl ${url}/documents`,
    `-H 'SVC-API-KEY: ${strings.keyHint}'`,
    "-F 'document=@contract.pdf;type=application/pdf'",
    `-F 'request={"metadata":{"customer":"ada"}};type=application/json'`,
  ].join(' \\\n  ')
}
