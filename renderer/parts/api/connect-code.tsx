import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Code } from '../../ui/text/code.tsx'
import { useSession } from '../connection/session.ts'
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
  const status = useSession((session) => session.status)
  const { listener, settings } = status ?? {}
  const base = listener?.state === 'on' ? listener.url : `http://127.0.0.1:${settings?.port || 4747}`
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
