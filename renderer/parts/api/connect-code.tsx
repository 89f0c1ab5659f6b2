import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Code } from '../../ui/text/code.tsx'
import { useBaseUrl } from '../connection/base-url.ts'
import { curlOf, fetchOf, type HttpRequest, pythonOf } from './snippets.ts'
import { strings } from './strings.ts'

const ways = { curl: curlOf, node: fetchOf, python: pythonOf } as const
type Way = keyof typeof ways
const names = Object.keys(ways) as Way[]

type Props = {
  readonly label: string
  /** The request, given the base address of the listener. */
  readonly request: (base: string) => HttpRequest
}

/** A request to the listener as code, in a choice of languages. */
export function ConnectCode({ label, request }: Props) {
  const [way, setWay] = useState<Way>('curl')
  const base = useBaseUrl()
  return (
    <div className="connect">
      <SegmentedControl
        aria-label={label}
        data={names.map((value) => ({ value, label: strings.ways[value] }))}
        value={way}
        onChange={setWay}
      />
      <Code text={ways[way](request(base))} what={strings.ways[way]} />
    </div>
  )
}
