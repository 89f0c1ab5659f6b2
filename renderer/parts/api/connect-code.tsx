import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { Code } from '../../ui/text/code.tsx'
import { useBaseUrl } from '../connection/base-url.ts'
import { formatCurl, formatFetch, formatPython, type HttpRequest } from './snippets.ts'
import { strings } from './strings.ts'

const formatters = { curl: formatCurl, node: formatFetch, python: formatPython } as const
type ConnectLanguage = keyof typeof formatters
const names = Object.keys(formatters) as ConnectLanguage[]

type Props = {
  readonly label: string
  /** Builds the request for this base URL of the listener. */
  readonly request: (base: string) => HttpRequest
}

/** Shows a request to the listener as code in a language that the reader chooses. */
export function ConnectCode({ label, request }: Props) {
  const [language, setLanguage] = useState<ConnectLanguage>('curl')
  const base = useBaseUrl()
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label={label}
        data={names.map((value) => ({ value, label: strings.languages[value] }))}
        value={language}
        onChange={setLanguage}
      />
      <Code text={formatters[language](request(base))} what={strings.languages[language]} />
    </Stack>
  )
}
